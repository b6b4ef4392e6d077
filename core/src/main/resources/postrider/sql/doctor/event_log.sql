-- whether this role can read the event log within a reach; and whether partitions are created in advance
select current_user::text as role, postrider.reader_role() as reader,
  coalesce(pg_has_role(session_user, (select r.oid from pg_roles r where r.rolname = postrider.reader_role()),
    case when current_setting('server_version_num')::int >= 160000 then 'SET' else 'MEMBER' end), false) as may_act,
  (select r.rolsuper or r.rolbypassrls from pg_roles r where r.rolname = current_user) as bypasses,
  (select count(*) from postrider.listener l where l.name like 'event\_log:%') as topics,
  coalesce((select max(p.high) from postrider.event_log_partition p) > clock_timestamp() + interval '1 day', false) as ahead
