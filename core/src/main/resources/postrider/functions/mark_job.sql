-- mark_job(worker, job): marks a transaction as the one in which the handler of this job runs.
--
-- settle() and may_settle() compare the mark: if a handler ends the transaction with its own statement, the mark is gone. The
-- shared lock shows the node that takes over the worker which sessions still work for it
-- touches  the setting postrider.job, to the end of the transaction
create or replace function postrider.mark_job(of_worker bigint, of_job text)
returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
as $$
begin
  perform pg_advisory_xact_lock_shared('postrider.delayed'::regclass::oid::int4, (of_worker % 2147483647::bigint)::int4);
  perform set_config('postrider.job', of_job, true);
end
$$;
