-- workers that are gone. ended: the worker is marked as ended, and some of its jobs have not been handed over yet. Otherwise no
-- session holds the lock of its number. Behind a pooler: no sign of life for as long as its lease (12 s, unless
-- its queues have a longer one) although it has jobs, or for a day, or it has not registered since the server started.
-- A worker that keeps its jobs (end_silent) is not absent yet. seen_at: when it began or came back
select w.id, w.seen_at, w.ended_at is not null as ended
from postrider.worker w
where w.handed_over_at is null
and case
  when w.ended_at is not null then true
  when w.kept_until > clock_timestamp() then false
  when w.pooled then not postrider.is_present(w.id) or w.seen_at < clock_timestamp() - postrider.lease_of(w.id) and (
    exists (select from postrider.open_claims() o where o.worker = w.id)
    or exists (select from postrider.delayed d where d.worker = w.id)
    or w.seen_at < clock_timestamp() - interval '1 day')
  else not exists (
    select from pg_locks k
    where k.locktype = 'advisory'
    and k.database = (select d.oid from pg_database d where d.datname = current_database())
    and k.classid = 'postrider.worker'::regclass::oid
    and k.objid = (w.id % 2147483647::bigint)::oid
    and k.objsubid = 2
    and k.mode = 'ExclusiveLock'
    and k.granted)
  end
order by w.id
limit 100
