-- claim(queue, topic, worker, most, bytes, oldest): gives a worker the right to the next positions of a queue's lane, and the jobs
-- at them.
--
-- takes    most: positions at most; bytes: payloads given at most. oldest: the worker's oldest claim that is not settled, null
--          if all are
-- gives    first a row without an event: the claim's number and first position (null: there was nothing to claim, or the
--          queue is paused) and the last position that is claimed now, by whomever. Then the jobs, in the order of their positions; where the payloads were too long, fewer
--          than were claimed: the caller reads the others later
-- touches  claim (writes), queue, head, log, event, cancellation, worker (reads)
-- locks    the lane, so that claims are serial; the worker, shared. To the end of the transaction, which is this statement
-- never    waits for a flush: if a crash of the server forgets the claim, the range is claimed again, and the settlement of
--          the one who had it finds no claim
create or replace function postrider.claim(
  of_queue   text,
  of_topic   text,
  of_worker  bigint,
  most       int,
  bytes      bigint,
  oldest     bigint)
returns table (
  n bigint, from_position bigint, "position" bigint, event_id uuid, type text, payload text, key text, project_id text, user_id text,
  aggregate_type text, aggregate_id text, headers text, created_at timestamptz, wait bigint, unique_key text,
  cancelled boolean)
language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_partitionwise_join = on
set jit = off
set max_parallel_workers_per_gather = 0
as $$
#variable_conflict use_column
declare
  last   bigint;
  head   bigint;
  mine   bigint;
begin
  perform set_config('synchronous_commit', 'off', true);
  if not postrider.is_at_work(of_worker) then
    raise exception 'worker % has been taken over', of_worker using errcode = 'PR006';
  end if;
  perform pg_advisory_xact_lock('postrider.claim'::regclass::oid::int4, hashtext(of_topic));
  select coalesce((
    select c.to_position from postrider.claim c where c.topic = of_topic order by c.from_position desc, c.n desc limit 1), 0)
  into last;
  select coalesce((
    select h.position from postrider.head h where h.topic = of_topic order by h.position desc limit 1), 0)
  into head;
  if head <= last or (select q.paused from postrider.queue q where q.name = of_queue) then
    return query select null::bigint, null::bigint, last, null::uuid, null, null, null, null, null, null, null, null, null::timestamptz,
      null::bigint, null, null::boolean;
    return;
  end if;
  mine := nextval('postrider.claim_numbers');
  head := least(head, last + most);
  insert into postrider.claim (n, topic, from_position, to_position, worker, open_n)
  values (mine, of_topic, last + 1, head, of_worker, coalesce(oldest, mine));
  return query select mine, last + 1, head, null::uuid, null, null, null, null, null, null, null, null, null::timestamptz,
    null::bigint, null, null::boolean;
  return query select mine, last + 1, r.* from postrider.claimed(of_topic, last, head, bytes) r;
end
$$;
