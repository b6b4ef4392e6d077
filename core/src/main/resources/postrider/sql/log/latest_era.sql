-- the era that the log is in. touches: era
select e.era, e.reason from postrider.era e order by e.era desc limit 1
