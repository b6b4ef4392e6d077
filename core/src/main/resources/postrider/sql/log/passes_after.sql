-- what the passes after a given one moved; touches: pass
select p.n, p.topics, p.heads, p.low_id, p.high_id
from postrider.pass p
where p.n > :n
order by p.n
limit :most
