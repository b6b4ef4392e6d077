-- before a batch is recorded: the policies let it write, and whoever else believes to run the listener waits until it is
-- settled, or two would insert the same rows. locks: the listener's place in the ledger, which deliver() takes anyhow
select set_config('postrider.reach', 'all', true)
  || pg_advisory_xact_lock('postrider.delivery'::regclass::oid::int4, l.id)::text as opened
from postrider.listener l
where l.name = :listener
