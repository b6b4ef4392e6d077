-- tries to become the owner of these listeners, for as long as the connection lasts. locks: one for each listener it gets
select l.name, pg_try_advisory_lock('postrider.listener'::regclass::oid::int4, l.id) as got
from postrider.listener l
where l.name = any (:listeners)
