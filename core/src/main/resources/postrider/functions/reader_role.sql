-- reader_role(): the role that the event log is read as. Roles belong to the whole cluster, so its name has the database in it: a
-- member for one database reads no other's events.
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
