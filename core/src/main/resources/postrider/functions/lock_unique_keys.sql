-- lock_unique_keys(keys): waits until no other transaction takes several of these unique keys, each the text of queue and key.
--
-- Ordered by hash: two transactions that took the same keys in the order of their jobs could wait for each other
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
