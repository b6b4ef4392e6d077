-- claim_delayed(queue, topics, worker, most, types, crashes): claims due jobs of a queue that go by themselves.
--
-- takes    types: those the worker knows. crashes: jobs that have ended so many workers, or 0 for those that have not ended
--          more than one; see suspects in ARCHITECTURE
-- gives    the jobs, the longest due first
-- touches  delayed (writes), worker, cancellation (reads)
-- locks    the rows of the jobs; the worker, shared
create or replace function postrider.claim_delayed(
  of_queue   text,
  topics     text[],
  of_worker  bigint,
  most       int,
  types      text[],
  crashed    int)
returns table (
  topic text, "position" bigint, event_id uuid, type text, payload text, key text, project_id text, user_id text,
  aggregate_type text, aggregate_id text, headers text, created_at timestamptz, unique_key text, attempt int, crashes int)
language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
#variable_conflict use_column
begin
  perform set_config('synchronous_commit', 'off', true);
  if not postrider.is_at_work(of_worker) then
    raise exception 'worker % has been taken over', of_worker using errcode = 'PR006';
  end if;
  if (select q.paused from postrider.queue q where q.name = of_queue) then
    return;
  end if;
  return query
  with due as (
    select d.topic, d.position
    from postrider.delayed d
    where d.topic = any (topics)
    and d.worker is null
    and d.due_at <= clock_timestamp()
    and d.type = any (types)
    and (d.crashes >= 2) = (crashed >= 2)
    order by d.due_at, d.position
    limit most
    for update skip locked
  )
  update postrider.delayed d
  set worker = of_worker, claimed_at = clock_timestamp(), attempt = d.attempt + 1
  from due u
  where d.topic = u.topic and d.position = u.position
  returning d.topic, d.position, d.event_id, d.type, d.payload::text, d.key, d.project_id, d.user_id, d.aggregate_type,
    d.aggregate_id, d.headers::text, d.created_at, d.unique_key, d.attempt, d.crashes;
end
$$;
