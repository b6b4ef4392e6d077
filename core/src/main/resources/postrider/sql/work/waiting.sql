-- why a job is waiting; no row if it is not
select w.reason, w.until, w.ahead, w.detail, split_part(coalesce(
    (select f.topic from postrider.find_job(:id) f limit 1),
    (select e.topic::text from postrider.event e
      where e.event_id = :id and e.topic >= 'queue:' and e.topic < 'queue;' limit 1), ''), ':', 2) as queue
from postrider.waiting(:id) w
