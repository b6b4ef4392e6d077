-- claim_delayed(queue, order_of_lanes, worker, most, bytes, types, tier): claims due jobs of a queue that are scheduled individually.
--
-- takes    order_of_lanes: which lane goes first. most, bytes: so many jobs at most, with so long payloads. types: those the
--          worker knows. tier: 0: those that no worker has ended with. 1: those that one has. 2: one that
--          more have, if none of these runs anywhere: for a worker that does nothing else meanwhile
-- gives    the jobs, of each lane the longest due first; of one key, if the queue limits that, in the order of their positions.
--          claimed_at: worker and claimed_at are the fencing token
-- touches  delayed, worker (writes), claim (writes, for a queue with a rate), queue (reads)
-- locks    the rows of the jobs; the queue if it has limits; the worker, shared
create or replace function postrider.claim_delayed(
  of_queue        text,
  order_of_lanes  text[],
  of_worker       bigint,
  most            int,
  bytes           bigint,
  types           text[],
  tier            int)
returns table (
  topic text, "position" bigint, event_id uuid, type text, payload text, key text, project_id text, user_id text,
  aggregate_type text, aggregate_id text, headers text, created_at timestamptz, unique_key text, attempt int, crashes int,
  claimed_at timestamptz)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_sort = off
set enable_incremental_sort = off
as $$
#variable_conflict use_column
declare
  queue   postrider.queue;
  lanes   text[] := postrider.lanes(of_queue);
  running jsonb;  -- of a queue that limits its keys: how many jobs of each run
  free    tid[];  -- and the jobs with a key that may go now
  found   tid[];
  tried   tid[];
  chosen  tid[] := '{}';
  wanted  int;
  size    bigint := 0;
  lane    text;
  now     timestamptz := clock_timestamp();  -- once: a volatile comparison is no condition of an index
begin
  perform set_config('synchronous_commit', 'off', true);
  if not postrider.is_at_work(of_worker) then
    raise exception 'worker % has been taken over', of_worker using errcode = 'PR006';
  end if;
  if not postrider.is_present(of_worker) then
    raise exception 'worker % has not registered since the server started', of_worker using errcode = 'PR006';
  end if;
  perform postrider.sign(of_worker);
  select q.* into queue from postrider.queue q where q.name = of_queue;
  if queue.paused then
    return;
  end if;
  if coalesce(queue.running_limit, queue.key_limit, queue.rate) is not null then
    perform pg_advisory_xact_lock('postrider.queue'::regclass::oid::int4, queue.id);
    most := least(most, postrider.allowance(of_queue));
  end if;
  if queue.key_limit is not null then
    select coalesce(jsonb_object_agg(k.key, k.jobs), '{}') into running
    from (
      select k.key, count(*) as jobs
      from (
        select d.key
        from (select d.topic, d.key from postrider.delayed d where d.worker is not null offset 0) d  -- as in allowance()
        where d.topic = any (lanes) and d.key is not null
        union all
        select k from postrider.open_keys(of_queue) k
      ) k
      group by k.key
    ) k;
  end if;
  if tier = 2 then
    most := least(most, 1);
    if exists (
      select from (select d.topic, d.crashes from postrider.delayed d where d.worker is not null offset 0) d
      where d.topic = any (lanes) and d.crashes >= 2) then
      return;
    end if;
  end if;
  foreach lane in array order_of_lanes loop
    tried := '{}';
    loop
      wanted := most - cardinality(chosen);
      exit when wanted <= 0 or size >= bytes;
      if running is not null then
        free := postrider.free_jobs(of_queue, lane, types, tier, wanted + cardinality(tried), now, running);
      end if;
      -- Type by type, and those that wait for a key by themselves: so no row is read that cannot be claimed.
      found := array(
        select c.ctid
        from (
          select c.ctid, c.due_at, c.position
          from unnest(types) t (type)
          cross join unnest(case when running is null then array[0, 1, 2] else array[0] end) k (kind)
          cross join lateral (
            select d.ctid, d.due_at, d.position
            from postrider.delayed d
            where d.topic = lane and d.type = t.type and d.worker is null and d.due_at <= now
            and case when d.key is null then 0 when d.why = 'key' then 2 else 1 end = k.kind
            and least(d.crashes, 2) = tier
            order by d.due_at, d.position
            limit wanted + cardinality(tried)) c
          union all
          select d.ctid, d.due_at, d.position
          from unnest(free) f (tid)
          join postrider.delayed d on d.ctid = f.tid
        ) c
        where c.ctid <> all (tried)
        order by c.due_at, c.position
        limit wanted);
      exit when found = '{}';
      -- Row by row: for "any" the planner reads the whole of a table that was small when it planned.
      select chosen || coalesce(array_agg(d.ctid) filter (where d.before < bytes), '{}'), coalesce(sum(d.length), 0) + size
      into chosen, size
      from (
        select d.ctid, d.length, size + sum(d.length) over (order by d.due_at, d.position) - d.length as before
        from unnest(found) f (tid)
        cross join lateral (
          select d.ctid, d.due_at, d.position, octet_length(d.payload::text) as length
          from postrider.delayed d
          where d.ctid = f.tid and d.worker is null and d.due_at <= now
          for update skip locked
        ) d
      ) d;
      exit when cardinality(found) < wanted;
      tried := tried || found;  -- another worker has locked some of them: look at those behind
    end loop;
  end loop;
  if chosen = '{}' then
    return;
  end if;
  if queue.rate is not null then  -- so that begun() counts them
    perform pg_advisory_xact_lock('postrider.claim'::regclass::oid::int4, hashtext(lanes[2]));
    insert into postrider.claim (topic, from_position, to_position, jobs, worker, open_n)
    select lanes[2], l.to_position + 1, l.to_position, cardinality(chosen), 0, 0
    from (select coalesce((
      select c.to_position from postrider.claim c where c.topic = lanes[2]
      order by c.from_position desc, c.n desc limit 1), 0) as to_position) l;
  end if;
  return query
  update postrider.delayed d
  set worker = of_worker, claimed_at = clock_timestamp(), attempt = d.attempt + 1
  from unnest(chosen) c (tid)
  where d.ctid = c.tid
  returning d.topic, d.position, d.event_id, d.type, d.payload::text, d.key, d.project_id, d.user_id, d.aggregate_type,
    d.aggregate_id, d.headers::text, d.created_at, d.unique_key, d.attempt, d.crashes, d.claimed_at;
end
$$;
