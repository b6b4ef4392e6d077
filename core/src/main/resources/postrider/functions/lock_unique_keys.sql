-- lock_unique_keys(keys): locks unique keys, each given as the text of queue and key, before several are taken in one
-- transaction.
--
-- The locks are taken in the order of the hashes: two transactions that took the same keys in the order of their jobs could
-- deadlock
-- locks    advisory locks of the keys' hashes, to the end of the transaction
create or replace function postrider.lock_unique_keys(keys text[])
returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
as $$
begin
  perform pg_advisory_xact_lock('postrider.unique_job'::regclass::oid::int4, k.hash)
  from (select distinct hashtext(u) as hash from unnest(keys) u order by 1) k;
end
$$;
