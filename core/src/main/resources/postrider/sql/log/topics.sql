-- the topics that have a position, in the order of their names, by one index lookup for each
with recursive t (topic) as (
  (select h.topic from postrider.head h order by h.topic limit 1)
  union all
  select (select h.topic from postrider.head h where h.topic > t.topic order by h.topic limit 1) from t where t.topic is not null)
select t.topic
from t
where t.topic is not null
limit :most
