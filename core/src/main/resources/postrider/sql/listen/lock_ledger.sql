-- locks a listener's place in its ledger to the end of the transaction. A statement of its own: the next one sees what the previous
-- holder committed. locks: the listener's place in the ledger
select pg_advisory_xact_lock('postrider.delivery'::regclass::oid::int4, l.id)::text as got
from postrider.listener l
where l.name = :listener
