-- tidy_jobs(keep): deletes what is no longer needed: unique keys whose period has ended, cancellations of jobs that finished before
-- a worker saw them, workers that ended long ago.
--
-- Also advances claim_numbers if it was set back: claim() cannot detect this in a lane without claims.
--
-- gives    how many rows
-- touches  unique_job, cancellation, worker (writes), delayed, claim, settlement (reads)
-- locks    the rows; skips rows that another transaction has locked
create or replace function postrider.tidy_jobs(keep interval)
returns bigint
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
set enable_seqscan = off
as $$
declare
  now        timestamptz := clock_timestamp();
  forgotten  bigint;
begin
  with keys as (
    select u.ctid from postrider.unique_job u
    where u.until < 'infinity' and u.until <= now
    limit 10000
    for update skip locked
  ), freed as (
    delete from postrider.unique_job u using keys k where u.ctid = k.ctid returning 1
  ), late as (
    select c.ctid from postrider.cancellation c
    where c.at < now - interval '1 hour'
    and not exists (select from postrider.delayed d where d.topic = c.topic and d.position = c.position)
    and not exists (select from postrider.open_claims() o where o.topic = c.topic and o.positions @> c.position)
    and c.position <= coalesce((
      select k.to_position from postrider.claim k where k.topic = c.topic order by k.from_position desc, k.n desc limit 1), 0)
    limit 1000
    for update skip locked
  ), seen as (
    delete from postrider.cancellation c using late l where c.ctid = l.ctid returning 1
  ), old as (
    select w.ctid from postrider.worker w where w.ended_at < now - keep - interval '1 day' and w.handed_over_at is not null
    order by w.id
    limit 1000
    for update skip locked
  ), gone as (
    delete from postrider.worker w using old o where w.ctid = o.ctid returning 1
  )
  select (select count(*) from freed) + (select count(*) from seen) + (select count(*) from gone) into forgotten;
  if (select s.n from postrider.settlement s order by s.n desc limit 1)
     > coalesce(pg_sequence_last_value('postrider.claim_numbers'::regclass), 0) then
    perform postrider.next_number('claim_numbers', (select max(c.n) from postrider.claim c));
  end if;
  return forgotten;
end
$$;
