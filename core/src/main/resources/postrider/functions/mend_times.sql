-- mend_times(): corrects times that were written while the clock was ahead. A retry with a wait of one second, written while the
-- clock was 40 days ahead, would wait for 40 days after the clock was corrected, and block a listener with policy block for as
-- long.
--
-- A row that was written more than a minute in the future shows that the clock was ahead: its original wait starts now. A job
-- whose producer set a time keeps that time. A retry that was written in the future is also due in the future: by that the index
-- delayed_due finds it without reading the table.
--
-- gives    the number of rows
-- touches  delayed, setback, worker, listener (writes)
-- locks    the rows; skips rows that another transaction has locked
create or replace function postrider.mend_times()
returns bigint
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
as $$
declare
  now     timestamptz := clock_timestamp();
  ahead   timestamptz := clock_timestamp() + interval '1 minute';
  mended  bigint;
begin
  with jobs as (
    select d.topic, d.position from postrider.delayed d
    where d.worker is null and d.due_at > ahead and d.since > ahead and d.why <> 'due'::text
    limit 10000
    for update skip locked
  ), waiting as (
    update postrider.delayed d set due_at = now + greatest(d.due_at - d.since, interval '0'), since = now
    from jobs j where d.topic = j.topic and d.position = j.position
    returning 1
  ), events as (
    select s.listener, s.position from postrider.setback s
    where s.begun_at > ahead
    limit 10000
    for update skip locked
  ), set_back as (
    update postrider.setback s
    set retry_after = case when s.retry_after is not null then now + greatest(s.retry_after - s.begun_at, interval '0') end,
      begun_at = now
    from events e where s.listener = e.listener and s.position = e.position
    returning 1
  ), signed as (
    update postrider.worker w set seen_at = now where w.ended_at is null and w.pooled and w.seen_at > ahead
    returning 1
  ), away as (
    update postrider.listener l set unavailable_since = now, unavailable_until = now
    where l.unavailable_since > ahead
    returning 1
  )
  select (select count(*) from waiting) + (select count(*) from set_back) + (select count(*) from signed)
    + (select count(*) from away) into mended;
  return mended;
end
$$;
