-- before a batch is recorded: the policies allow the write, and any other worker that believes it runs the listener waits until the
-- batch is settled; otherwise two would insert the same rows. locks: the listener's place in the ledger, which deliver() takes anyway
select set_config('postrider.reach', 'all', true)
  || pg_advisory_xact_lock('postrider.delivery'::regclass::oid::int4, l.id)::text as opened
from postrider.listener l
where l.name = :listener
