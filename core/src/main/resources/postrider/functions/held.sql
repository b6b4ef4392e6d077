-- held(queue, topic, after, upto, worker): which jobs at the next positions of a lane may not start, and why.
--
-- gives    each position. hold: null: it may start. cancelled; bad, if it can never be due; deleted; due, if its time has not
--          come; key, if its key is taken or others wait for it; unknown, if the worker does not handle its type
-- touches  queue, worker_queue, log, event, cancellation, delayed, open claims (reads)
-- never    without the locks of the queue and the lane, which claim() takes: other workers could start jobs of the same keys
create or replace function postrider.held(of_queue text, of_topic text, after bigint, upto bigint, of_worker bigint)
returns table ("position" bigint, hold text)
language plpgsql stable
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_sort = off
set enable_incremental_sort = off
set enable_partitionwise_join = on
set max_parallel_workers_per_gather = 0
set jit = off
as $$
#variable_conflict use_column
declare
  now        timestamptz := clock_timestamp();
  lanes      text[] := postrider.lanes(of_queue);
  key_limit  int;
  types      text[];
  places     bigint[];
  holds      text[];
  keys       text[];
  kinds      text[];
  loads      jsonb;  -- how many jobs run of each key; more than any limit if others wait for it
begin
  select q.key_limit into key_limit from postrider.queue q where q.name = of_queue;
  select q.types into types from postrider.worker_queue q where q.worker = of_worker and q.queue = of_queue;
  select array_agg(r.position), array_agg(r.hold), array_agg(r.key), array_agg(r.type) into places, holds, keys, kinds
  from (
    select l.position, e.key::text, e.type::text,
      case when exists (
          select from postrider.cancellation c where c.topic = of_topic and c.position = l.position) then 'cancelled'
        when e.event_id is null then 'deleted'
        when e.due_at >= timestamptz '10000-01-01 00:00:00+00' then 'bad'
        when e.due_at > now then 'due' end as hold
    from postrider.log l
    left join postrider.event e on e.tx = l.tx and e.id = l.id
    where l.topic = of_topic and l.position > after and l.position <= upto
    order by l.position
  ) r;
  if key_limit is not null then
    select jsonb_object_agg(k.key, k.running) into loads
    from (
      select k.key, sum(k.running)::bigint as running
      from (
        select o as key, 1::bigint as running from postrider.open_keys(of_queue) o
        union all
        select d.key, 1
        from (select d.topic, d.key from postrider.delayed d where d.worker is not null offset 0) d  -- as in allowance()
        where d.topic = any (lanes) and d.key is not null
        union all
        select k.key, 1000000000
        from (select distinct u.key from unnest(keys) u (key) where u.key is not null) k
        where exists (
          select from unnest(lanes) l (topic)
          cross join lateral (
            -- the next key, not this one: only delayed_queueing has that order, so no other index is tried
            select d.key from postrider.delayed d
            where d.topic = l.topic and d.key >= k.key and d.worker is null and d.key is not null
            and d.why in ('key', 'crash', 'returned', 'carried over')
            order by d.topic, d.key limit 1) d
          where d.key = k.key)
      ) k
      group by k.key
    ) k;
  end if;
  return query
  select r.position, case
    when r.hold is not null then r.hold
    when key_limit is not null and r.key is not null and coalesce((loads ->> r.key)::bigint, 0) + r.place > key_limit then 'key'
    when r.type <> all (types) then 'unknown' end
  from (
    select u.position, u.hold, u.key, u.type,
      row_number() over (partition by u.key, u.hold is null order by u.position) as place
    from unnest(places, holds, keys, kinds) u (position, hold, key, type)
  ) r
  order by r.position;
end
$$;
