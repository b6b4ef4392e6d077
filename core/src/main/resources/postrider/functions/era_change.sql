-- era_change(last): why the last pass cannot be continued from, or null if it can.
--
-- The system identifier tells another cluster (restore, logical copy, upgrade), the timeline a promoted standby or a
-- point-in-time restore, and a snapshot from the future a cluster that counts transactions from a lower number.
-- The timeline is read from the name of the WAL file: pg_control_checkpoint() still tells the old one after a promotion.
create or replace function postrider.era_change(last pg_snapshot)
returns text
language sql stable as $$
  select case
    when e.era is null then 'first pass'
    when e.system_identifier <> c.system_identifier then 'another cluster'
    when e.timeline <> substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8) then 'another timeline'
    when pg_snapshot_xmax(last) > pg_snapshot_xmax(pg_current_snapshot()) then 'transaction numbers went back'
  end
  from pg_control_system() c
  left join lateral (select * from postrider.era e order by e.era desc limit 1) e on true
$$;
