-- may_settle(topic, position, job): whether the transaction of a job's handler may settle it. The job has a row in delayed.
--
-- gives    free; cancelled, if the job was cancelled; elsewhere, if this is not the transaction that mark_job() marked; lost, if
--          the row is gone
-- locks    the job's row, first: a cancellation waits for this transaction, or this one for the cancellation. The next statement
--          has its own snapshot and sees changes that were committed meanwhile
-- touches  delayed (locks), cancellation (reads)
create or replace function postrider.may_settle(of_topic text, of_position bigint, of_job text)
returns text
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
begin
  perform from postrider.delayed d where d.topic = of_topic and d.position = of_position for update;
  if not found then
    return 'lost';
  end if;
  return case
    when current_setting('postrider.job', true) is distinct from of_job then 'elsewhere'
    when exists (select from postrider.cancellation c where c.topic = of_topic and c.position = of_position) then 'cancelled'
    else 'free'
  end;
end
$$;
