-- the result of a test that was requested at a time; no row until it is finished
select l.test_found, l.test_error, l.tested_at
from postrider.listener l
where l.name = :relay and l.tested_at >= :asked_at
