-- the current era of the log. touches: era
select e.era, e.reason from postrider.era e order by e.era desc limit 1
