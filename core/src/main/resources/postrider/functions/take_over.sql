-- take_over(worker, most_crashes): ends a worker that is gone. Its open jobs go by themselves from now on, each suspected of
-- having killed it; unless it was leaving, and a job did not heed that: then none is, and no attempt is counted.
--
-- takes    most_crashes: a job that was alone when the worker ended, and has now ended so many, becomes a dead letter
-- gives    how many jobs were taken over; null if somebody else has done it
-- touches  worker, settlement, delayed, dead_letter, unique_job, progress (writes), claim, log, event (reads)
-- locks    the worker: who is about to settle finishes first, or finds that it is too late
create or replace function postrider.take_over(of_worker bigint, most_crashes int)
returns bigint
language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  taken  bigint;
  crash  int;
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'take_over needs isolation read committed, was %', current_setting('transaction_isolation')
      using errcode = 'PR001';
  end if;
  perform pg_advisory_xact_lock('postrider.settlement'::regclass::oid::int4, (of_worker % 2147483647)::int4);
  update postrider.worker w set ended_at = clock_timestamp() where w.id = of_worker and w.ended_at is null
  returning case when w.leaving then 0 else 1 end into crash;
  if not found then
    return null;
  end if;
  select coalesce(sum(postrider.hand_over(o.n, o.topic, o.positions,
    case crash when 0 then 'returned' else 'crash' end, crash, crash, case crash when 1 then 'its worker ended' end)), 0) into taken
  from (
    select c.n, c.topic, int8multirange(int8range(c.from_position, c.to_position, '[]')) - coalesce((
      select range_agg(r) from postrider.settlement s, unnest(s.positions) r where s.n = c.n), '{}') as positions
    from postrider.claim c
    where c.worker = of_worker
    and c.n >= (select l.open_n from postrider.claim l where l.worker = of_worker order by l.n desc limit 1)
  ) o
  where not isempty(o.positions);
  delete from postrider.progress p using postrider.delayed d
  where d.worker = of_worker and p.topic = d.topic and p.position = d.position;
  with buried as (
    delete from postrider.delayed d where d.worker = of_worker and d.crashes + crash >= most_crashes returning d.*
  ), letters as (
    insert into postrider.dead_letter
      (listener, position, topic, event_id, created_at, type, key, project_id, user_id, aggregate_type, aggregate_id,
       payload, headers, attempts, error_code, error, stack)
    select b.topic, b.position, b.topic, b.event_id, b.created_at, b.type, b.key, b.project_id, b.user_id, b.aggregate_type,
      b.aggregate_id, b.payload, b.headers, b.attempt, 'crash', format('%s workers ended while it ran, the last one while it ran alone',
      b.crashes + crash), b.stack
    from buried b
    on conflict (listener, position) do update
    set attempts = excluded.attempts, error_code = excluded.error_code, error = excluded.error, stack = excluded.stack,
      died_at = excluded.died_at
    returning event_id
  ), let_go as (
    delete from postrider.unique_job u using letters l where u.event_id = l.event_id and u.until = 'infinity'
  )
  select taken + count(*) into taken from letters;
  with held as (
    update postrider.delayed d
    set worker = null, claimed_at = null, due_at = clock_timestamp(), since = clock_timestamp(), attempt = d.attempt - 1 + crash,
      why = case crash when 0 then 'returned' else 'crash' end, crashes = d.crashes + crash,
      error_code = case crash when 0 then d.error_code else 'crash' end,
      error = case crash when 0 then d.error else 'its worker ended during attempt ' || d.attempt end
    where d.worker = of_worker
    returning 1
  )
  select taken + count(*) into taken from held;
  return taken;
end
$$;
