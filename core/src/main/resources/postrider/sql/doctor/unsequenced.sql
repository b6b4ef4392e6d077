-- committed events without a position, how long the oldest has waited, and how long ago a pass last gave positions: -1 if never.
-- at_least: unpositioned() may have reached a limit (a million events, 1,000 topics of the backlog), so there may be more
select coalesce(sum(u.events), 0)::int8 as events,
  coalesce(extract(epoch from clock_timestamp() - min(u.oldest_at) filter (where isfinite(u.oldest_at))), 0)::int8 as seconds,
  coalesce(sum(u.events) >= 1000000 or count(*) >= 1000, false) as at_least,
  coalesce((
    select extract(epoch from clock_timestamp() - p.at)
    from postrider.pass p order by p.n desc limit 1), -1)::int8 as since_pass
from postrider.unpositioned() u
