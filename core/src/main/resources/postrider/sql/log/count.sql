-- how many positions of a range exist: a filtered read cannot distinguish a gap from an event that does not match
select count(*) as events, (select max(a.era) from postrider.era a) as era
from postrider.log l
where l.topic = :topic and l.position > :after and l.position <= :upto
