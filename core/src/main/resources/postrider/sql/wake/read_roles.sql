-- Releases eight of the entries that reserve_locks took, and uses them at once to read the roles of all sessions into this session's
-- cache. intruders() then finds them there and needs no lock on the catalogs of roles. One statement, because the session that fills
-- the lock table may be waiting for entries that become free.
with freed as materialized (
  select count(*) filter (where pg_advisory_unlock_shared('postrider.sequencing'::regclass::oid::int4, pg_backend_pid() * 32 + i)) as locks
  from generate_series(:chunk * 8, :chunk * 8 + 7) i
)
select f.locks, (
    select count(pg_has_role(a.usesysid, 'pg_database_owner', 'member'))
      + count(pg_has_role(a.usesysid, 'pg_write_all_data', 'member'))
      + count(pg_has_role(current_user, 'pg_signal_backend', 'usage'))
      + count(has_any_column_privilege(a.usesysid, 'postrider.event', 'insert'))
      + f.locks
    from (select distinct a.usesysid from pg_stat_get_activity(null) a where a.usesysid is not null) a
  ) as roles
from freed f
