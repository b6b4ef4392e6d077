-- era_change(last): why the last pass cannot be continued from, or null if it can.
--
-- The system identifier shows another cluster (restore, logical copy, upgrade), the timeline a promoted standby or a
-- point-in-time restore, and a snapshot from the future a cluster that counts transactions from a lower number.
create or replace function postrider.era_change(last pg_snapshot)
returns text
language plpgsql stable
set search_path = pg_catalog, pg_temp
set jit = off
set enable_seqscan = off
as $$
declare
  era  postrider.era;
  now  record;
begin
  select e.* into era from postrider.era e order by e.era desc limit 1;
  if era.era is null then
    return 'first pass';
  end if;
  now := postrider.cluster_identity();
  return case
    when era.system_identifier <> now.system_identifier then 'another cluster'
    when era.timeline <> now.timeline then 'another timeline'
    when pg_snapshot_xmax(last) > pg_snapshot_xmax(pg_current_snapshot()) then 'transaction numbers went back'
  end;
end
$$;
