-- adopt_lock(source, wait_ms, exclusive): locks an adopted table against writers, to the end of the transaction. Fails with 55P03
-- after the given wait, so that writers that queue behind it go on. A session that holds the lock knows that no transaction has written to
-- the table without having ended
--
-- locks    the old table, SHARE ROW EXCLUSIVE; exclusive: ACCESS EXCLUSIVE, which dropping a trigger needs
create or replace function postrider.adopt_lock(of_source text, wait_ms int, exclusive boolean)
returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
as $$
begin
  perform set_config('lock_timeout', wait_ms::text, true);
  execute format('lock table %s in %s mode', of_source, case when exclusive then 'access exclusive' else 'share row exclusive' end);
end
$$;
