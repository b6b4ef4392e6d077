-- what the last era identifies the cluster and its timeline by; before the first pass, what this role would use. Touches: era
select coalesce(e.system_identifier, c.system_identifier) < 0 as by_oids,
  coalesce(e.timeline, c.timeline) like 'start %' as by_start_time
from postrider.cluster_identity() c
left join lateral (
  select e.system_identifier, e.timeline from postrider.era e order by e.era desc limit 1) e on true
