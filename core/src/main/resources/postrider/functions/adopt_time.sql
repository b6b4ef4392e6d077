-- adopt_time(spec, old, field): the time in a column of an adopted table. A column without a time zone holds UTC: the trigger runs
-- in the sessions of many writers, whose time zones must not matter
create or replace function postrider.adopt_time(spec jsonb, old jsonb, field text)
returns timestamptz
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
set jit = off
as $$
declare
  column_name  text := spec #>> array['fields', field];
  value        text := old ->> column_name;
begin
  if spec -> 'local_times' ? column_name then
    return value::timestamp at time zone 'UTC';
  end if;
  return value::timestamptz;
end
$$;
