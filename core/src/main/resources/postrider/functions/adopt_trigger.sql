-- adopt_trigger(spec, mode): the statement that creates or replaces the trigger of an adopted table; mode is hold or emit
create or replace function postrider.adopt_trigger(spec jsonb, mode text)
returns text
language plpgsql stable
set search_path = pg_catalog, pg_temp
set jit = off
as $$
begin
  return format('create or replace trigger postrider_adopt after insert on %s for each row execute function postrider.adopt_bridge(%L, %L)',
    spec ->> 'source', mode, spec::text);
end
$$;
