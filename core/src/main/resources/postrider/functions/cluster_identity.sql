-- cluster_identity(): identifies the cluster and its timeline, as far as the caller may read them.
--
-- The timeline comes from the name of the WAL file: pg_control_checkpoint() still shows the old one after a promotion.
-- Some managed servers refuse pg_control_system() or the WAL position. Then the oids of the database and the table identify the
-- cluster (a restored dump has other oids), and the server's start time identifies the timeline (a standby has its own). Each
-- restart then opens an era and reads event and log once. doctor's check 'cluster identity' reports both: it knows them by the
-- negative number and by the word 'start'
create or replace function postrider.cluster_identity(out system_identifier bigint, out timeline text)
language plpgsql stable
set search_path = pg_catalog, pg_temp
set jit = off
as $$
begin
  begin
    system_identifier := (select c.system_identifier from pg_control_system() c);
  exception when insufficient_privilege or feature_not_supported or undefined_function then
    system_identifier := -((select d.oid::bigint from pg_database d where d.datname = current_database()) * 2147483648
      + 'postrider.event'::regclass::oid::bigint);
  end;
  begin
    timeline := substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8);
  exception when insufficient_privilege or feature_not_supported or undefined_function or object_not_in_prerequisite_state then
    timeline := 'start ' || extract(epoch from pg_postmaster_start_time())::text;
  end;
end
$$;
