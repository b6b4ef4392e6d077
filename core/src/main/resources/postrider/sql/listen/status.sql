-- changes to listeners from outside: pause, detachment, replays that are due, a test, a reset, a request for shadow or for a reading
select l.name, l.paused, l.detached_at is not null as detached,
  exists (select from postrider.setback s where s.listener = l.name and s.retry_after <= clock_timestamp()) as due,
  case when l.test_asked_at > coalesce(l.tested_at, '-infinity') then l.test_asked_at end as test_asked_at, l.course,
  l.shadow_asked_at is not null as shadow_asked,
  (select r.id from postrider.shadow_reading r where r.listener = l.name and r.begun_at is null order by r.id limit 1) as reading
from postrider.listener l
where l.name = any (:listeners)
