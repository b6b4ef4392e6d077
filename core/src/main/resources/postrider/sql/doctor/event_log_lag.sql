-- topics whose event log is far behind
select l.name, l.lag
from postrider.listeners l
where l.name like 'event\_log:%'
and l.lag > 10000
order by l.lag desc
limit 5
