-- enter(reach, project, user): restricts the transaction to this reach and to reading, until it ends. Switches to the role
-- reader_role() if the caller may act as it, because the policies do not apply to a superuser.
--
-- takes    reach: 'all', 'project' or 'user'. project, user: may be null
-- gives    whether row-level security applies now. If not, the caller must not read
-- never    plans a scan of a whole partition because it was empty when it was last analysed; never takes longer than 30 s
create or replace function postrider.enter(reach text, project text, "user" text)
returns boolean
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
as $$
declare
  reader   text := postrider.reader_role();
  may_set  text := case when current_setting('server_version_num')::int >= 160000 then 'SET' else 'MEMBER' end;
  patience interval := current_setting('statement_timeout')::interval;
begin
  if reach is null or reach not in ('all', 'project', 'user') then
    raise exception 'reach must be all, project or user, was %', reach using errcode = '22023';
  end if;
  perform set_config('postrider.reach', reach, true);
  perform set_config('postrider.project', coalesce(project, ''), true);
  perform set_config('postrider.user', coalesce("user", ''), true);
  perform set_config('enable_seqscan', 'off', true);
  if patience = interval '0' or patience > interval '30 seconds' then
    perform set_config('statement_timeout', '30s', true);
  end if;
  perform set_config('transaction_read_only', 'on', true);
  -- SET ROLE checks the memberships of the session's user, not of the current user
  if exists (select from pg_roles r where r.rolname = reader) and pg_has_role(session_user, reader, may_set) then
    perform set_config('role', reader, true);
  end if;
  return row_security_active('postrider.event_log');
end
$$;
