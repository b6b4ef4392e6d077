-- the active schedules, with the database's time, and whether a node runs that ticks them
select s.name, s.cron, s.zone, s.next_at, clock_timestamp() as now,
  exists (select from postrider.live_workers()) as attended
from postrider.schedule s
where not s.paused
order by s.name
