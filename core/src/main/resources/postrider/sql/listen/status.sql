-- changes to listeners from outside: pause, detachment, replays that are due, a test, a reset
select l.name, l.paused, l.detached_at is not null as detached,
  exists (select from postrider.setback s where s.listener = l.name and s.retry_after <= clock_timestamp()) as due,
  case when l.test_asked_at > coalesce(l.tested_at, '-infinity') then l.test_asked_at end as test_asked_at, l.course
from postrider.listener l
where l.name = any (:listeners)
