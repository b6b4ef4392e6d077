-- era_change(last): why a new pass cannot continue from the last one, or null if it can.
--
-- Another system identifier means another cluster (restore, logical copy, upgrade); another timeline means a promoted standby
-- or a point-in-time restore; a snapshot from the future means a cluster whose transaction counter is lower.
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
