-- adopt_mirror_jobs(source, after, most): writes back to the old table which of the next jobs have ended, in the caller's
-- transaction.
--
-- takes    after: the number in adopted after which to look; 0 for the first call
-- gives    written: rows that were changed; last: the number to go on after; null if there are no more
-- touches  adopted, the old table (writes), the tables of jobs (reads)
-- locks    the adoption, and each row of the old table that it writes
create or replace function postrider.adopt_mirror_jobs(
  of_source    text,
  after        bigint,
  most         int,
  out written  int,
  out last     bigint)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  a      postrider.adoption;
  d      record;
  j      record;
begin
  select o.* into a from postrider.adoption o where o.source = of_source for no key update;
  written := 0;
  for d in
    select o.adopted_id, o.event_id, o.n from postrider.adopted o
    where o.source = of_source and o.mirrored_at is null and o.how <> 'skip' and o.n > after
    order by o.n limit most
  loop
    last := d.n;
    -- The last, because a job that was cancelled by an undo has the same id.
    select v.state, v.attempt_count, v.last_error_message into j
    from postrider.jobs v where v.id = d.event_id order by v.position desc limit 1;
    continue when j.state is null or j.state not in ('DONE', 'FAILED', 'CANCELLED');
    if postrider.adopt_write_back(a.spec, d.adopted_id, j.state <> 'DONE',
      coalesce(j.last_error_message, case j.state when 'CANCELLED' then 'cancelled' end), j.attempt_count) then
      written := written + 1;
    end if;
    update postrider.adopted o set mirrored_at = clock_timestamp() where o.source = of_source and o.adopted_id = d.adopted_id;
  end loop;
end
$$;
