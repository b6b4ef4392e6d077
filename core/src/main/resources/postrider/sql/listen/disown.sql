select l.name, pg_advisory_unlock('postrider.listener'::regclass::oid::int4, l.id) as got
from postrider.listener l
where l.name = any (:listeners)
