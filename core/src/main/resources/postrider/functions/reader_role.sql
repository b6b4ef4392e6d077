-- reader_role(): the name of the role that reads the event log. Roles belong to the whole cluster, so the name contains the
-- database: a member of the role of one database cannot read the events of another.
create or replace function postrider.reader_role()
returns text
language plpgsql stable
set search_path = pg_catalog, pg_temp
set jit = off
as $$
declare
  name text := 'postrider' || '_reader_' || current_database();
begin
  return case when octet_length(name) <= 63 then name else 'postrider' || '_reader_' || left(md5(current_database()), 16) end;
end
$$;
