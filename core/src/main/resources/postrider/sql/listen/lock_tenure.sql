-- before a tenure begins: a switch to shadow mode sees its row, or is seen when the state is read afterwards (ask_for_shadow.sql). Not
-- the lock of the ledger: a frozen predecessor may hold that one. locks: the listener's mode, shared
select pg_advisory_xact_lock_shared('postrider.shadow'::regclass::oid::int4, l.id)::text as got
from postrider.listener l
where l.name = :listener
