-- what may have changed about listeners from outside: pause, detachment, replays that are due
select l.name, l.paused, l.detached_at is not null as detached,
  exists (select from postrider.setback s where s.listener = l.name and s.retry_after <= clock_timestamp()) as due
from postrider.listener l
where l.name = any (:listeners)
