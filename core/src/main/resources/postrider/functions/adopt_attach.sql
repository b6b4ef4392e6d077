-- adopt_attach(spec, mode): creates or replaces the trigger of an adopted table; mode is hold or emit. Null: drops it.
--
-- locks    the old table, SHARE ROW EXCLUSIVE (to drop: ACCESS EXCLUSIVE), to the end of the transaction
create or replace function postrider.adopt_attach(spec jsonb, mode text)
returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
as $$
begin
  if mode is null then
    execute format('drop trigger if exists postrider_adopt on %s', spec ->> 'source');
  else
    execute postrider.adopt_trigger(spec, mode);
  end if;
end
$$;
