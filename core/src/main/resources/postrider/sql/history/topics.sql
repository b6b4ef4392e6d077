-- topics that are not lanes of a queue: those already recorded before new ones, so that many new topics do not displace the topics
-- of others. The walk over the names stops as soon as it must have found enough new ones: with 1.2 million invented topics, a lookup
-- of each took more than 30 s
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
  limit (select count(*) from postrider.listener l where l.name >= 'event_log:' and l.name < 'event_log;') + :most + 1
), recorded as (
  select substr(l.name, 11) as topic, l.created_at
  from postrider.listener l
  where l.name >= 'event_log:' and l.name < 'event_log;'
  and exists (select from postrider.head h where h.topic = substr(l.name, 11))
  and not (l.name >= 'event_log:queue:' and l.name < 'event_log:queue;')
)
select s.topic
from (
  select r.topic, r.created_at from recorded r
  union all
  select w.topic, null from walk w
  where w.topic is not null and not (w.topic >= 'queue:' and w.topic < 'queue;')
  and not exists (select from recorded r where r.topic = w.topic)
) s
order by s.created_at nulls last, s.topic
limit :most
