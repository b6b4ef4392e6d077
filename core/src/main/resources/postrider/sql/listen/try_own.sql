-- tries to become the one who runs these listeners, for as long as the connection lasts. locks: one for each got
select l.name, pg_try_advisory_lock('postrider.listener'::regclass::oid::int4, l.id) as got
from postrider.listener l
where l.name = any (:listeners)
