-- claim(queue, topic, worker, most, first, bytes, oldest, latest): claims the next positions of a queue's lane for a worker, and
-- returns the first jobs at these positions.
--
-- takes    most: maximum number of positions. If the queue has limits, it counts only jobs that may start: jobs that may not,
--          because of their key, time or type, are claimed with them, so that they do not block the lane. first, bytes: maximum
--          number of returned jobs, and of bytes of their payloads; first 0: claims without reading the jobs, after one of them
--          could not be read. oldest: the worker's oldest unsettled claim, null if there is none. latest: the greatest claim
--          number that the worker has ever received
-- gives    first a row without an event: the number and first position of the claim, and the last position of the lane that any
--          worker has claimed. If nothing was claimed, the number is null and hold says why: empty, paused, limited. Then the
--          jobs, ordered by position, perhaps fewer than were claimed: the caller reads the others with claimed(). If the queue
--          has limits, all of them, because only this function knows which may start. hold: why a job may not start: cancelled,
--          bad, key, unknown (the worker does not handle its type). wait: milliseconds until it is due
-- touches  claim, worker (writes), queue, head, log, event, cancellation, and the tables that held() reads
-- locks    the lane, so that claims are serial, and the queue if it has limits; the worker, shared. To the end of the
--          transaction, which is this statement
-- never    waits for a flush: if a crash of the server loses the claim, the range is claimed again, and the settlement of the
--          lost claim is refused because it finds no claim. Never gives a worker a number twice: a crash or failover also loses
--          which numbers were drawn, and the settlement of the lost claim would match the new one.
-- never    trusts the oldest open claim of a worker that has not registered on this server: the server may have lost
--          settlements that were confirmed to the worker, and a takeover would skip those claims
create or replace function postrider.claim(
  of_queue   text,
  of_topic   text,
  of_worker  bigint,
  most       int,
  first      int,
  bytes      bigint,
  oldest     bigint,
  latest     bigint default null)
returns table (
  n bigint, from_position bigint, "position" bigint, event_id uuid, type text, payload text, key text, project_id text,
  user_id text, aggregate_type text, aggregate_id text, headers text, created_at timestamptz, wait bigint, unique_key text,
  hold text)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set max_parallel_workers_per_gather = 0
set jit = off
as $$
#variable_conflict use_column
declare
  queue    postrider.queue;
  limited  boolean;
  last     bigint;
  last_n   bigint;
  head     bigint;
  mine     bigint;
  reason   text;
  size     int;
  free     bigint[];  -- of a queue with limits: the positions of jobs that may start
  holds    jsonb;     -- and why the others may not
  begun    int;
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
  limited := coalesce(queue.running_limit, queue.key_limit, queue.rate) is not null;
  if limited then
    perform pg_advisory_xact_lock('postrider.queue'::regclass::oid::int4, queue.id);
  end if;
  perform pg_advisory_xact_lock('postrider.claim'::regclass::oid::int4, hashtext(of_topic));
  select c.to_position, c.n into last, last_n
  from postrider.claim c where c.topic = of_topic order by c.from_position desc, c.n desc limit 1;
  last := coalesce(last, 0);
  select coalesce((
    select h.position from postrider.head h where h.topic = of_topic order by h.position desc limit 1), 0)
  into head;
  if limited and head > last then
    most := least(most, postrider.allowance(of_queue));
  end if;
  reason := case when head <= last then 'empty' when queue.paused then 'paused' when most <= 0 then 'limited' end;
  if reason is not null then
    return query select null::bigint, null::bigint, last, null::uuid, null, null, null, null, null, null, null, null,
      null::timestamptz, null::bigint, null, reason;
    return;
  end if;
  mine := nextval('postrider.claim_numbers');
  while mine <= latest loop  -- 0.2 µs each; setval() could set the sequence back behind another worker's draw
    mine := nextval('postrider.claim_numbers');
  end loop;
  if mine <= last_n then  -- the sequence was set back: another claim may have this number and would share its settlements
    mine := postrider.next_number('claim_numbers', (select greatest(latest, max(c.n)) from postrider.claim c));
  end if;
  if not limited or first <= 0 then
    head := least(head, last + case when queue.key_limit is null then most else 1 end);
    begun := head - last;
  else
    -- Reads further only if jobs are held: a claim with room for five reads five if they may start.
    size := most;
    loop
      size := least(size, first);
      select coalesce(array_agg(h.position order by h.position) filter (where h.hold is null), '{}'),
        coalesce(jsonb_object_agg(h.position, h.hold) filter (where h.hold is not null), '{}')
      into free, holds
      from postrider.held(of_queue, of_topic, last, least(head, last + size), of_worker) h;
      exit when size >= first or last + size >= head or cardinality(free) >= most;
      size := greatest(64, size * 4);
    end loop;
    select coalesce(max(r.position), last + 1) into head
    from postrider.claimed(of_topic, last, least(head, last + size, free[most + 1] - 1), bytes) r;
    begun := (select count(*) from unnest(free) f where f <= head);
  end if;
  insert into postrider.claim (n, topic, from_position, to_position, jobs, worker, open_n)
  values (mine, of_topic, last + 1, head, begun, of_worker, least(oldest, mine));
  return query select mine, last + 1, head, null::uuid, null, null, null, null, null, null, null, null,
    null::timestamptz, null::bigint, null, null;
  if holds is null then
    return query select mine, last + 1, r.* from postrider.claimed(of_topic, last, least(head, last + first), bytes) r;
    return;
  end if;
  -- The answer of held() stays valid even if a job has become due since: the limits were computed with it.
  return query
  select mine, last + 1, r.position, r.event_id, r.type, r.payload, r.key, r.project_id, r.user_id, r.aggregate_type,
    r.aggregate_id, r.headers, r.created_at,
    case holds ->> r.position::text when 'due' then coalesce(r.wait, 0) else r.wait end, r.unique_key,
    coalesce(r.hold, nullif(nullif(holds ->> r.position::text, 'due'), 'deleted'))
  from postrider.claimed(of_topic, last, head, bytes) r
  order by r.position;
end
$$;
