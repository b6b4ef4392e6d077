-- locks: unique keys of jobs that are about to be enqueued together, in one order, to the end of the transaction. Against others who
-- do so too; a key that is taken is waited for by the insert itself
select pg_advisory_xact_lock('postrider.unique_job'::regclass::oid::int4, k.hash)::text as locked
from (select distinct hashtext(u) as hash from unnest(:keys::text[]) u order by 1) k
