-- the ledgers, in the order of their numbers: each range begins where the previous one ended, and no cursor is beyond the
-- head. A row from 0 is a starting point; one that repeats the previous row, including its time, was carried over by retention.
-- touches: delivery, listener, head
with steps as (
  select d.listener, d.n, d.from_position, d.to_position, lag(d.from_position) over w as before_from,
    lag(d.to_position) over w as before_to, (d.worker, d.at) = (lag(d.worker) over w, lag(d.at) over w) as is_carried
  from postrider.delivery d
  window w as (partition by d.listener order by d.n)
), broken as (
  select s.listener, s.n, s.from_position, s.before_to
  from steps s
  where s.before_to is not null
  and s.from_position not in (0, s.before_to + 1)
  and not (s.is_carried and (s.from_position, s.to_position) = (s.before_from, s.before_to))
), astray as (
  select l.name, c.to_position as cursor, h.position as head
  from postrider.listener l
  left join lateral (
    select d.to_position from postrider.delivery d where d.listener = l.name order by d.n desc limit 1) c on true
  left join lateral (
    select coalesce((
      select h.position from postrider.head h where h.topic = l.topic order by h.position desc limit 1), 0) as position) h on true
  where c.to_position is null or c.to_position > h.position
)
select (select count(*) from postrider.listener) as listeners, (select count(*) from steps) as ranges,
  (select count(*) from broken) as broken, (select count(*) from astray) as astray,
  array(
    select 'listener ' || b.listener || ' went on at ' || b.from_position || ' after ' || b.before_to
    from broken b order by b.listener, b.n limit 5)
  || array(
    select 'listener ' || a.name || case when a.cursor is null then ' has no ledger'
      else ' is at ' || a.cursor || ', beyond the head ' || a.head end
    from astray a order by a.name limit 5) as offenders
