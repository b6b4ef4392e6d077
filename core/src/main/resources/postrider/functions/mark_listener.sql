-- mark_listener(tenure): marks a transaction as one of this tenure of a listener, before its handler runs.
--
-- deliver() compares the mark: if a handler ends the transaction with its own statement, the mark is gone. The shared lock shows
-- a successor which sessions still work for an earlier tenure
-- touches  the setting postrider.tenure, to the end of the transaction
create or replace function postrider.mark_listener(of_tenure bigint)
returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
as $$
begin
  perform pg_advisory_xact_lock_shared('postrider.tenure'::regclass::oid::int4, (of_tenure % 2147483647::bigint)::int4);
  perform set_config('postrider.tenure', of_tenure::text, true);
end
$$;
