-- respects the leases of queues, if any is set; workers without one are ended by end_frozen. A worker with a short lease that has
-- been silent for longer: its connection is terminated, and the next checks take its jobs over. A worker with a long lease that
-- has been silent for 5 s: the time until which it keeps its jobs is recorded, because end_frozen ends its connection after 10 s.
-- A worker that is heard again loses the record, so that its jobs are taken over at once if its process ends.
-- Finds the sessions first and terminates them afterwards: see end_frozen. Same role only. touches: worker
with sign as materialized (
  select w.id, k.pid, greatest(a.state_change, a.query_start) as last_at, postrider.lease_of(w.id) as lease,
    a.state like 'idle%' or a.wait_event_type = 'Client' as waits
  from postrider.worker w
  join pg_locks k on k.locktype = 'advisory'
    and k.database = (select d.oid from pg_database d where d.datname = current_database())
    and k.classid = 'postrider.worker'::regclass::oid
    and k.objid = (w.id % 2147483647::bigint)::oid
    and k.objsubid = 2
    and k.mode = 'ExclusiveLock'
    and k.granted
  join pg_stat_activity a on a.pid = k.pid and a.usename = current_user
  where w.ended_at is null and not w.pooled
  and exists (select from postrider.queue q where q.lease is not null)
), kept as (
  update postrider.worker w
  set kept_until = case when s.waits and s.last_at < clock_timestamp() - interval '5 seconds' then s.last_at + s.lease end
  from sign s
  where w.id = s.id and s.lease > interval '10 seconds'
  and w.kept_until is distinct from case when s.waits and s.last_at < clock_timestamp() - interval '5 seconds' then s.last_at + s.lease end
), expired as materialized (
  select s.pid from sign s
  where s.waits and s.last_at + s.lease < clock_timestamp() and s.lease < interval '10 seconds'
)
select e.pid from expired e where pg_terminate_backend(e.pid)
