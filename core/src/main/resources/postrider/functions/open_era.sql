-- open_era(reason, high): begins a new era. The transaction numbers of the last pass mean nothing here, so what is new is
-- found by what it is: visible, and without a position.
--
-- gives    how many events were put into the backlog, and the snapshot in which they were looked for: one statement finds
--          the events and takes the snapshot, because an event that is committed between two would be found by both
-- touches  event, log (reads all of both, once), backlog, era (writes)
create or replace function postrider.open_era(
  reason        text,
  high          bigint,
  out promised  bigint,
  out now       pg_snapshot)
language plpgsql volatile
set jit = off
as $$
#variable_conflict use_variable
begin
  with missing as materialized (
    select e.topic, e.tx, e.id
    from postrider.event e
    where not exists (select from postrider.log l where l.tx = e.tx and l.id = e.id)
  ), ordered as (
    select g.topic, g.tx, g.events, g.first_id, g.last_id,
      sum(g.events) over (partition by g.topic order by g.tx_last_id, g.tx) as upto
    from (
      select g.*, max(g.last_id) over (partition by g.tx) as tx_last_id
      from (
        select m.topic, m.tx, count(*) as events, min(m.id) as first_id, max(m.id) as last_id
        from missing m
        group by m.topic, m.tx
      ) g
    ) g
  ), promises as (
    insert into postrider.backlog (topic, from_position, to_position, tx, first_id, last_id)
    select o.topic, t.position + o.upto - o.events + 1, t.position + o.upto, o.tx, o.first_id, o.last_id
    from ordered o
    join (select t.topic, postrider.tail_position(t.topic) as position from (select distinct m.topic from missing m) t) t
      on t.topic = o.topic
    returning to_position - from_position + 1 as events
  )
  select coalesce(sum(p.events), 0), pg_current_snapshot() into promised, now from promises p;

  insert into postrider.era (era, system_identifier, timeline, high, reason)
  select coalesce((select max(e.era) from postrider.era e), 0) + 1, c.system_identifier,
    substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8), high, reason
  from pg_control_system() c;
end
$$;
