-- claim(queue, topic, worker, most, first, bytes, oldest, latest): gives a worker the right to the next positions of a queue's
-- lane, and the first of the jobs at them.
--
-- takes    most: maximum number of positions. first, bytes: maximum number of jobs that are returned, and of the bytes of their
--          payloads; first 0: claims without reading the jobs, after one of them could not be read. oldest: the worker's
--          oldest claim that is not settled, null if all are. latest: the greatest number that it has ever got
-- gives    first a row without an event: the claim's number and first position, and the last position that is claimed now, by
--          whomever; without a number if nothing was claimed, and then hold says why: empty, paused, limited. Then the jobs, in
--          the order of their positions, perhaps fewer than were claimed: the caller reads the others by claimed(). If the
--          queue limits keys, all of them, because only here it is known who may begin. hold: why a job may not be begun: cancelled, key. wait: milliseconds until it is due
-- touches  claim, worker (writes), queue, head, log, event, cancellation (reads)
-- locks    the lane, so that claims are serial, and the queue if it has limits; the worker, shared. To the end of the
--          transaction, which is this statement
-- never    waits for a flush: if a crash of the server forgets the claim, the range is claimed again, and the settlement of
--          the one who had it finds no claim. Nor gives a worker a number a second time: the crash, or a failover, forgets as
--          well which numbers were drawn, and the settlement of the forgotten claim would find the new one.
-- never    trusts the oldest open claim of a worker that has not signed in on this server: the server may have lost
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
  while mine <= latest loop  -- 0.2 µs each; setval() would put back what another worker has moved on meanwhile
    mine := nextval('postrider.claim_numbers');
  end loop;
  if mine <= last_n then  -- the sequence was set back: another claim may have this number and would share its settlements
    mine := postrider.next_number('claim_numbers', (select greatest(latest, max(c.n)) from postrider.claim c));
  end if;
  head := least(head, last + most);
  if queue.key_limit is not null then
    select coalesce(max(r.position), last + 1) into head
    from postrider.claimed(of_topic, last, least(head, last + first), bytes) r;
  end if;
  insert into postrider.claim (n, topic, from_position, to_position, jobs, worker, open_n)
  values (mine, of_topic, last + 1, head, head - last, of_worker, least(oldest, mine));
  return query select mine, last + 1, head, null::uuid, null, null, null, null, null, null, null, null,
    null::timestamptz, null::bigint, null, null;
  if queue.key_limit is null then
    return query select mine, last + 1, r.* from postrider.claimed(of_topic, last, least(head, last + first), bytes) r;
  elsif first > 0 then
    return query
    select mine, last + 1, r.position, r.event_id, r.type, r.payload, r.key, r.project_id, r.user_id, r.aggregate_type,
      r.aggregate_id, r.headers, r.created_at, r.wait, r.unique_key,
      coalesce(r.hold, case when r.key is not null and r.wait is null and coalesce(c.running, 0)
        + row_number() over (partition by r.key, r.wait is null order by r.position) > queue.key_limit then 'key' end)
    from postrider.claimed(of_topic, last, head, bytes) r
    left join postrider.crowd(of_queue, mine) c on c.key = r.key
    order by r.position;
  end if;
end
$$;
