-- claim_delayed(queue, order_of_lanes, worker, most, bytes, types, tier): claims due jobs of a queue that go by themselves.
--
-- takes    order_of_lanes: which lane goes first. most, bytes: so many jobs at most, with so long payloads. types: those the
--          worker knows. tier: 0: those that no worker has ended with. 1: those that one has. 2: one that
--          more have, if none of these runs anywhere: for a worker that does nothing else meanwhile
-- gives    the jobs, of each lane the longest due first; of one key, if the queue limits that, in the order of their positions
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
  aggregate_type text, aggregate_id text, headers text, created_at timestamptz, unique_key text, attempt int, crashes int)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  queue   postrider.queue;
  lanes   text[] := postrider.lanes(of_queue);
  free    tid[];  -- of a queue that limits its keys: the jobs with a key that may go now
  chosen  tid[] := '{}';
  size    bigint := 0;
  lane    text;
  now     timestamptz := clock_timestamp();  -- once: a volatile comparison is no condition of an index
begin
  perform set_config('synchronous_commit', 'off', true);
  if not postrider.is_at_work(of_worker) then
    raise exception 'worker % has been taken over', of_worker using errcode = 'PR006';
  end if;
  if not postrider.is_present(of_worker) then
    raise exception 'worker % has not signed in since the server started', of_worker using errcode = 'PR006';
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
    -- All at once: asked for each job by itself, a claim with 350 of one key waiting took 250 ms.
    free := array(
      select w.ctid
      from (
        select d.ctid, d.key, row_number() over (partition by d.key order by d.position, d.topic) as place
        from postrider.delayed d
        where d.topic = any (lanes) and d.worker is null and d.key is not null and d.due_at <= now and d.type = any (types)
      ) w
      left join (
        select k.key, count(*) as jobs
        from (
          select d.key from postrider.delayed d where d.topic = any (lanes) and d.worker is not null and d.key is not null
          union all
          select k from postrider.open_keys(of_queue) k
        ) k
        group by k.key
      ) running on running.key = w.key
      where w.place + coalesce(running.jobs, 0) <= queue.key_limit);
  end if;
  if tier = 2 then
    most := least(most, 1);
    if exists (select from postrider.delayed d where d.topic = any (lanes) and d.worker is not null and d.crashes >= 2) then
      return;
    end if;
  end if;
  foreach lane in array order_of_lanes loop
    exit when most <= cardinality(chosen) or size >= bytes;
    select chosen || coalesce(array_agg(d.ctid) filter (where d.before < bytes), '{}'), coalesce(sum(d.length), 0) + size
    into chosen, size
    from (
      select d.ctid, d.length, size + sum(d.length) over (order by d.due_at, d.position) - d.length as before
      from (
        select d.ctid, d.due_at, d.position, octet_length(d.payload::text) as length
        from postrider.delayed d
        where d.topic = lane
        and d.worker is null
        and d.due_at <= now
        and d.type = any (types)
        and least(d.crashes, 2) = tier
        and (free is null or d.key is null or d.ctid in (select unnest(free)))
        order by d.due_at, d.position
        limit greatest(most - cardinality(chosen), 0)
        for update skip locked
      ) d
    ) d;
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
  where d.ctid = any (chosen)
  returning d.topic, d.position, d.event_id, d.type, d.payload::text, d.key, d.project_id, d.user_id, d.aggregate_type,
    d.aggregate_id, d.headers::text, d.created_at, d.unique_key, d.attempt, d.crashes;
end
$$;
