-- queue_names(): every queue that a worker works on or that was paused or limited, and the queues of up to 1,000 other topics with
-- jobs. Producers choose names: 15,000 of them in one insert made the view queues take 6 s permanently.
--
-- touches  queue, head (reads; one lookup for each topic)
-- Its body is parsed at creation, so no search_path can change it, and the planner can inline it
create or replace function postrider.queue_names()
returns setof text
language sql stable
begin atomic
  select q.name from postrider.queue q
  union
  select split_part(t.topic, ':', 2)
  from (
    with recursive t as (
      (select h.topic from postrider.head h where h.topic >= 'queue:' and h.topic < 'queue;' order by h.topic limit 1)
      union all
      select (
        select h.topic from postrider.head h
        where h.topic > t.topic and h.topic < 'queue;' order by h.topic limit 1)
      from t where t.topic is not null
    )
    select t.topic from t where t.topic is not null limit 1000
  ) t;
end;
