-- cluster_identity(): which cluster and which timeline this is, by what the caller may read.
--
-- The timeline is read from the name of the WAL file: pg_control_checkpoint() still shows the old one after a promotion.
-- Some managed servers refuse pg_control_system() or the WAL position. There the database and the table stand for the cluster (a
-- restored dump has other oids), and the server's start for the timeline (a standby has its own): each restart opens an era, and
-- reads event and log once. The identity is negative then, and doctor says so
create or replace function postrider.cluster_identity(out system_identifier bigint, out timeline text)
language plpgsql stable
set search_path = pg_catalog, pg_temp
set jit = off
as $$
begin
  begin
    system_identifier := (select c.system_identifier from pg_control_system() c);
  exception when insufficient_privilege or feature_not_supported or undefined_function then
    system_identifier := -((select d.oid::bigint from pg_database d where d.datname = current_database()) * 4294967296 / 2
      + 'postrider.event'::regclass::oid::bigint);
  end;
  begin
    timeline := substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8);
  exception when insufficient_privilege or feature_not_supported or undefined_function or object_not_in_prerequisite_state then
    timeline := 'start ' || extract(epoch from pg_postmaster_start_time())::text;
  end;
end
$$;
