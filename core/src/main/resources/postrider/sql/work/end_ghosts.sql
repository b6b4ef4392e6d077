-- ends the transactions in which a worker that is gone was about to claim or settle: those of a process that is stopped. They
-- could not settle any more, but the takeover would wait for them. Only for the one that holds the rescue of the worker
-- (try_rescue): the other holders of these locks are then sessions of the worker itself, and no other node's takeover. Nor
-- after somebody has ended the worker: what it still holds may be the end of that takeover. First found, then ended: see
-- end_frozen. Same role only
with ghosts as materialized (
  select k.pid
  from pg_locks k
  join pg_stat_activity a on a.pid = k.pid and a.usename = current_user
  where k.locktype = 'advisory'
  and k.database = (select d.oid from pg_database d where d.datname = current_database())
  and k.classid in ('postrider.settlement'::regclass::oid, 'postrider.delayed'::regclass::oid)
  and k.objid = (:worker % 2147483647)::oid
  and k.objsubid = 2
  and k.granted
  and k.pid <> pg_backend_pid()
  and exists (select from postrider.worker w where w.id = :worker and w.ended_at is null)
)
select g.pid
from ghosts g
where pg_terminate_backend(g.pid)
