-- where the handler of a listener failed in shadow, from a position on
select f.position, f.error
from postrider.shadow s
cross join lateral unnest(s.failed, s.errors) f (position, error)
where s.listener = :listener and s.from_position >= :recorded_from
order by f.position
