-- forget_event_log(at): drops the oldest partition of the event log if all its rows are older than the retention time, and
-- records up to which position each topic is no longer complete. A partition on which a view depends is emptied and detached
-- instead. Rows in the table beyond the partitions are deleted one by one.
--
-- takes    at: the time, for a test
-- gives    what was dropped or deleted
-- touches  event_log, event_log_partition, event_log_forgotten (writes)
-- locks    event_log exclusively for a moment: the caller sets a very short lock_timeout and retries while a dump or a long
--          count uses the table
create or replace function postrider.forget_event_log(at timestamptz default clock_timestamp())
returns setof text
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
set enable_seqscan = off
as $$
#variable_conflict use_variable
declare
  keep  interval;
  part  postrider.event_log_partition;
  name  text;
  rows  bigint;
begin
  select k.keep into keep from postrider.event_log_keep k;
  perform set_config('postrider.reach', 'all', true);
  select p.* into part from postrider.event_log_partition p where p.high <= at - keep order by p.low limit 1;
  if part.low is null
    and not exists (select from postrider.event_log_beyond b where b.created_at < at - keep) then
    return;
  end if;
  if not pg_try_advisory_xact_lock('postrider.event_log'::regclass::oid::int4, 1) then
    return;
  end if;
  if part.low is not null then
    -- checks again under the lock: another node may have dropped it
    perform from postrider.event_log_partition p where p.low = part.low;
    if found then
      name := 'event_log_' || to_char(part.low at time zone 'UTC', 'YYYYMMDD');
      execute 'lock table postrider.event_log in access exclusive mode';  -- otherwise a row could be added after the check
      execute format($f$
        insert into postrider.event_log_forgotten as f (topic, position)
        with recursive t as (
          (select e.topic, e.position from postrider.%1$I e order by e.topic desc, e.position desc limit 1)
          union all
          select n.topic, n.position from t, lateral (
            select e.topic, e.position from postrider.%1$I e
            where e.topic < t.topic order by e.topic desc, e.position desc limit 1) n
        )
        select t.topic, t.position from t
        on conflict (topic) do update set position = greatest(f.position, excluded.position)$f$, name);
      begin
        execute format('drop table postrider.%I', name);
      exception when dependent_objects_still_exist then  -- as in drop_segments(), which drops it later
        execute format('truncate postrider.%I', name);
        execute format('alter table postrider.event_log detach partition postrider.%I', name);
        execute format('comment on table postrider.%I is %L', name, 'detached by retention');
      end;
      delete from postrider.event_log_partition p where p.low = part.low;
      return next name;
    end if;
  end if;
  with old as (
    select b.ctid from postrider.event_log_beyond b where b.created_at < at - keep limit 10000
  ), gone as (
    delete from postrider.event_log_beyond b using old o where b.ctid = o.ctid returning b.topic, b.position
  ), forgotten as (
    insert into postrider.event_log_forgotten as f (topic, position)
    select g.topic, max(g.position) from gone g group by g.topic
    on conflict (topic) do update set position = greatest(f.position, excluded.position)
  )
  select count(*) into rows from gone;
  if rows > 0 then
    return next rows || ' rows beyond';
  end if;
end
$$;
