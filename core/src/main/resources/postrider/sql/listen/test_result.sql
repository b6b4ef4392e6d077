-- what a test asked for at a time has found; no row while it is not over
select l.test_found, l.test_error, l.tested_at
from postrider.listener l
where l.name = :relay and l.tested_at >= :asked_at
