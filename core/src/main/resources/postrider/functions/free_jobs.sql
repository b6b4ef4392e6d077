-- free_jobs(queue, lane, types, tier, most, now, running): the jobs with a key that were put aside in a lane and may start
-- under the limit per key: for a queue that has one.
--
-- Reads a bounded number of rows, however many wait: first those that are due longest, so that none starves; then key by key,
-- because thousands of jobs of one key may be due before the first of another. A key that is skipped is at its limit, so few are.
--
-- takes    types: those the worker handles. tier: see claim_delayed(). most: number of jobs wanted. running: number of running
--          jobs of each key
-- gives    rows of delayed: of each key the first by position, across all lanes
-- touches  queue, delayed (reads)
-- never    without the queue's lock: other workers could start jobs of the same keys
create or replace function postrider.free_jobs(
  of_queue  text,
  lane      text,
  types     text[],
  tier      int,
  most      int,
  now       timestamptz,
  running   jsonb)
returns tid[]
language plpgsql stable
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_sort = off
set enable_incremental_sort = off
set max_parallel_workers_per_gather = 0
set jit = off
as $$
#variable_conflict use_column
declare
  lanes      text[] := postrider.lanes(of_queue);
  key_limit  int;
  taken      bigint := (select count(*) from jsonb_object_keys(running));
  latest     text;
  keys       text[];
begin
  select q.key_limit into key_limit from postrider.queue q where q.name = of_queue;
  -- The walk over the keys starts after the key whose job started last, so that every key gets its turn.
  select d.key into latest
  from (select d.topic, d.key, d.claimed_at from postrider.delayed d where d.worker is not null offset 0) d
  where d.topic = any (lanes) and d.key is not null
  order by d.claimed_at desc limit 1;
  keys := array(
    select k.key
    from (
      select k.key, min(k.due_at) as due_at
      from unnest(types) t (type)
      cross join unnest(array[1, 2]) c (kind)
      cross join lateral (
        select d.key, d.due_at
        from (
          select d.key, d.due_at
          from postrider.delayed d
          where d.topic = lane and d.type = t.type and d.worker is null and d.due_at <= now
          and case when d.key is null then 0 when d.why = 'key' then 2 else 1 end = c.kind
          order by d.due_at, d.position
          limit 200
        ) d
        union all
        select w.key, 'infinity'
        from unnest(array['', latest]) s (start)
        cross join lateral (
          with recursive w (key, n) as (
            select (
              select d.key from postrider.delayed d
              where d.topic = lane and d.type = t.type and d.worker is null and d.key is not null and d.key >= s.start
              and case when d.key is null then 0 when d.why = 'key' then 2 else 1 end = c.kind
              order by d.key, d.position limit 1), 1
            union all
            select (
              select d.key from postrider.delayed d
              where d.topic = lane and d.type = t.type and d.worker is null and d.key is not null and d.key > w.key
              and case when d.key is null then 0 when d.why = 'key' then 2 else 1 end = c.kind
              order by d.key, d.position limit 1), w.n + 1
            from w where w.key is not null and w.n < taken + most
          )
          select w.key from w where w.key is not null
        ) w
        where s.start is not null
      ) k
      group by k.key
    ) k
    where coalesce((running ->> k.key)::bigint, 0) < key_limit
    order by k.due_at);
  return array(  -- no sorting: stops when there are enough
    select j.ctid
    from unnest(keys) k (key)
    cross join lateral (
      select j.ctid, j.topic, j.crashes
      from unnest(lanes) l (topic)
      cross join unnest(types) t (type)
      cross join unnest(array[1, 2]) c (kind)
      cross join lateral (
        select d.ctid, d.topic, d.position, d.crashes
        from postrider.delayed d
        -- "between" instead of "=": then the primary key does not provide this order, and the planner cannot scan the lane by it
        where d.topic = l.topic and d.type = t.type and d.key is not null and d.key between k.key and k.key
        and d.worker is null and d.due_at <= now
        and case when d.key is null then 0 when d.why = 'key' then 2 else 1 end = c.kind
        order by d.key, d.position
        limit key_limit
      ) j
      order by j.position, j.topic
      limit key_limit - coalesce((running ->> k.key)::bigint, 0)
    ) j
    where j.topic = lane and least(j.crashes, 2) = tier
    limit most);
end
$$;
