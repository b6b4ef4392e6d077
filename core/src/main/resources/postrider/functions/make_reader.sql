-- make_reader(): creates the role that reads the event log within a reach, if it is missing, and grants it only what it needs.
-- Row-level security does not apply to superusers and roles with BYPASSRLS; it applies to this role.
--
-- gives    null; or why the caller cannot use the role. Then an owner who is neither superuser nor BYPASSRLS is still subject to
--          the policies, because they are forced; for the others reads are refused (enter.sql)
-- touches  the catalogue, and only if something is missing: a role belongs to the cluster and is not in a dump, so it may be
--          missing after a restore. Revokes what the reader role of another database was granted here
create or replace function postrider.make_reader()
returns text
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
as $$
declare
  reader   text := postrider.reader_role();
  other    name;
  may_set  text := case when current_setting('server_version_num')::int >= 160000 then 'SET' else 'MEMBER' end;
begin
  if not exists (select from pg_roles r where r.rolname = reader) then
    begin
      execute format('create role %I nologin', reader);
    exception
      when insufficient_privilege then
        return format('role %s does not exist, and %s may not create roles', reader, current_user);
      when duplicate_object or unique_violation then
        null;  -- another node has just created it
    end;
  end if;
  if not (has_schema_privilege(reader, 'postrider', 'usage')
    and has_table_privilege(reader, 'postrider.event_log', 'select')
    and has_table_privilege(reader, 'postrider.jobs_in_reach', 'select')
    and has_table_privilege(reader, 'postrider.dead_letters_in_reach', 'select')) then
    execute format('grant usage on schema postrider to %I', reader);
    execute format('grant select on postrider.event_log, postrider.jobs_in_reach, postrider.dead_letters_in_reach to %I', reader);
  end if;
  -- A database that was created from another one as its template has the grants of that database's reader role. The role of
  -- earlier versions, without the name of a database, was shared by the whole cluster.
  for other in
    select distinct r.rolname
    from (
      select c.relacl as acl from pg_class c where c.relnamespace = 'postrider'::regnamespace
      union all
      select n.nspacl from pg_namespace n where n.oid = 'postrider'::regnamespace
    ) g
    cross join lateral aclexplode(g.acl) a
    join pg_roles r on r.oid = a.grantee
    where r.rolname <> reader
    and (r.rolname = 'postrider' || '_reader' or starts_with(r.rolname, 'postrider' || '_reader_'))
  loop
    execute format('revoke all on all tables in schema postrider from %I', other);
    execute format('revoke all on schema postrider from %I', other);
  end loop;
  if not pg_has_role(current_user, reader, may_set) then
    begin
      execute format('grant %I to current_user', reader);
    exception when insufficient_privilege or invalid_grant_operation then
      return format('%s may not act as role %s, nor grant itself that', current_user, reader);
    end;
  end if;
  return null;
end
$$;
