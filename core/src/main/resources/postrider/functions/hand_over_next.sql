-- hand_over_next(worker, most_crashes, after, most): marks a worker that is gone as ended, unless it is already, and hands over
-- its next open jobs. They are scheduled individually from now on, each suspected of having ended the worker. If the worker was
-- leaving or only changed its number, no job is suspected and no attempt is counted.
--
-- takes    most_crashes: a job that ran alone when the worker ended, and whose crashes reach this number, becomes a dead letter.
--          after: the last claim that the caller has handed over, 0 at first. most: number of jobs, roughly; a claim is not split
-- gives    the number of jobs handed over, the last claim among them, and whether all are handed over. No row if another node has
--          finished. The caller repeats the call until all are handed over; any node can continue from 0
-- touches  worker, presence, settlement, delayed, dead_letter, unique_job, progress (writes), claim, log, event (reads)
-- locks    the worker: a settlement in progress finishes first; a later one is refused
create or replace function postrider.hand_over_next(
  of_worker     bigint,
  most_crashes  int,
  after         bigint,
  most          int,
  out jobs      bigint,
  out last      bigint,
  out done      boolean)
returns setof record
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  crash    int;
  first    bigint;
  one      record;
  alone    bigint;
  released text;
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'hand_over_next needs isolation read committed, was %', current_setting('transaction_isolation')
      using errcode = 'PR001';
  end if;
  perform pg_advisory_xact_lock('postrider.settlement'::regclass::oid::int4, (of_worker % 2147483647::bigint)::int4);
  update postrider.worker w set ended_at = clock_timestamp() where w.id = of_worker and w.ended_at is null;
  select case when w.leaving then 0 else 1 end into crash
  from postrider.worker w where w.id = of_worker and w.handed_over_at is null;
  if not found then
    return;
  end if;
  delete from postrider.presence p where p.worker = of_worker;
  jobs := 0;
  last := after;
  done := false;
  select l.open_n into first from postrider.claim l where l.worker = of_worker order by l.n desc limit 1;
  for one in
    select c.n, c.topic, int8multirange(int8range(c.from_position, c.to_position, '[]')) - coalesce((
      select range_agg(r) from postrider.settlement s, unnest(s.positions) r where s.n = c.n), '{}') as positions
    from postrider.claim c
    where c.worker = of_worker and c.n >= first and c.n > after
    order by c.n
  loop
    if not isempty(one.positions) then
      jobs := jobs + postrider.try_hand_over(one.n, one.topic, one.positions, case crash when 0 then 'returned' else 'crash' end,
        crash, crash, case crash when 1 then 'its worker ended' end);
    end if;
    last := one.n;
    if jobs >= most then
      return next;
      return;
    end if;
  end loop;
  delete from postrider.progress p using postrider.delayed d
  where d.worker = of_worker and p.topic = d.topic and p.position = d.position;
  with buried as (
    delete from postrider.delayed d where d.worker = of_worker and d.crashes + crash >= most_crashes returning d.*
  ), letters as (
    insert into postrider.dead_letter
      (listener, position, topic, event_id, created_at, type, key, project_id, user_id, aggregate_type, aggregate_id,
       payload, headers, attempts, error_code, error, stack, claimed_at)
    select b.topic, b.position, b.topic, b.event_id, b.created_at, b.type, b.key, b.project_id, b.user_id, b.aggregate_type,
      b.aggregate_id, b.payload, b.headers, b.attempt, 'crash', format('%s workers ended while it ran, the last one while it ran alone',
      b.crashes + crash), b.stack, b.claimed_at
    from buried b
    on conflict (listener, position) do update
    set attempts = excluded.attempts, error_code = excluded.error_code, error = excluded.error, stack = excluded.stack,
      died_at = excluded.died_at, claimed_at = excluded.claimed_at
  )
  select count(*), case when count(*) > 0 then postrider.release_unique(
    array_agg(b.topic), array_agg(b.project_id), array_agg(b.unique_key), array_agg(b.event_id))::text end
  into alone, released
  from buried b;
  jobs := jobs + alone;
  with held as (
    update postrider.delayed d
    set worker = null, claimed_at = null, due_at = clock_timestamp(), since = clock_timestamp(),
      attempt = d.attempt - 1 + crash,
      why = case crash when 0 then 'returned' else 'crash' end, crashes = d.crashes + crash,
      error_code = case crash when 0 then d.error_code else 'crash' end,
      error = case crash when 0 then d.error else 'its worker ended during attempt ' || d.attempt end
    where d.worker = of_worker
    returning 1
  )
  select count(*) into alone from held;
  jobs := jobs + alone;
  done := true;
  update postrider.worker w set handed_over_at = clock_timestamp() where w.id = of_worker;
  return next;
end
$$;
