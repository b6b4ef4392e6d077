-- adopt_json(row): a row of an adopted table as jsonb; null if jsonb cannot hold it, because a column of type json contains \u0000
create or replace function postrider.adopt_json(of_row anyelement)
returns jsonb
language plpgsql stable
set search_path = pg_catalog, pg_temp
set jit = off
as $$
begin
  return to_jsonb(of_row);
exception when data_exception or program_limit_exceeded then
  return null;
end
$$;
