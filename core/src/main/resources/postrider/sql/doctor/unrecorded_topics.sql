-- how many topics no listener records in the event log, and one of them
with recursive t (topic) as (
  (select h.topic from postrider.head h order by h.topic limit 1)
  union all
  select (select h.topic from postrider.head h where h.topic > t.topic order by h.topic limit 1) from t where t.topic is not null)
select count(*) as topics, min(t.topic) as one
from t
where t.topic is not null and not (t.topic >= 'queue:' and t.topic < 'queue;')
and not exists (select from postrider.listener l where l.name = 'event_log:' || t.topic)
