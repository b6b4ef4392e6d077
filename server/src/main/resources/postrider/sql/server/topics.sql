-- every topic that is not a lane of a queue, by one look for each
with recursive t (topic) as (
  (select h.topic from postrider.head h order by h.topic limit 1)
  union all
  select (select h.topic from postrider.head h where h.topic > t.topic order by h.topic limit 1) from t where t.topic is not null)
select t.topic from t where t.topic is not null and not (t.topic >= 'queue:' and t.topic < 'queue;')
limit :most
