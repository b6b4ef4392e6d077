-- how many topics no listener records in the event log, and one of them. At most 1,000 are counted: with 1.2 million invented topics,
-- a lookup of each took longer than the timeout of a check
with recursive t (topic) as (
  (select h.topic from postrider.head h order by h.topic limit 1)
  union all
  select (
    select h.topic from postrider.head h
    where h.topic > case when t.topic >= 'queue:' and t.topic < 'queue;' then 'queue;' else t.topic end
    order by h.topic limit 1)
  from t where t.topic is not null
), walk as materialized (
  select t.topic from t
  limit (select count(*) from postrider.listener l where l.name >= 'event_log:' and l.name < 'event_log;') + 1001
)
select least(count(*), 1000) as topics, count(*) >= 1000 as at_least, min(w.topic) as one
from walk w
where w.topic is not null and not (w.topic >= 'queue:' and w.topic < 'queue;')
and not exists (select from postrider.listener l where l.name = 'event_log:' || w.topic)
