-- every topic that is not a lane of a queue, by one look for each: those that are recorded already before those that are new, so
-- that nobody pushes another's out by making many
with recursive t (topic) as (
  (select h.topic from postrider.head h order by h.topic limit 1)
  union all
  select (select h.topic from postrider.head h where h.topic > t.topic order by h.topic limit 1) from t where t.topic is not null)
select t.topic
from t
left join postrider.listener l on l.name = 'event_log:' || t.topic
where t.topic is not null and not (t.topic >= 'queue:' and t.topic < 'queue;')
order by l.created_at nulls last, t.topic
limit :most
