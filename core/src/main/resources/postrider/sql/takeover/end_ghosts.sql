-- terminates sessions of a worker that is gone, such as a stopped process, in which it was claiming or settling. They
-- could not settle any more, but the takeover would wait for them. Only the holder of the worker's rescue lock (try_rescue) may
-- run this: then all other holders of these locks are sessions of the worker, not the takeover of another node. Does nothing once
-- the worker is marked as ended, because the holder may be the end of that takeover. Finds the sessions first and terminates them
-- afterwards: see end_frozen. Same role only
with ghosts as materialized (
  select k.pid
  from pg_locks k
  join pg_stat_activity a on a.pid = k.pid and a.usename = current_user
  where k.locktype = 'advisory'
  and k.database = (select d.oid from pg_database d where d.datname = current_database())
  and k.classid in ('postrider.settlement'::regclass::oid, 'postrider.delayed'::regclass::oid)
  and k.objid = (:worker % 2147483647::bigint)::oid
  and k.objsubid = 2
  and k.granted
  and k.pid <> pg_backend_pid()
  and a.query not like '/* postrider:jobs/cancel */%'  -- an operator's, which holds the lock for one statement
  and exists (select from postrider.worker w where w.id = :worker and w.ended_at is null)
)
select g.pid
from ghosts g
where pg_terminate_backend(g.pid)
