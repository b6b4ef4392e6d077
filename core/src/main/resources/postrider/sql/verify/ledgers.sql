-- the ledgers: each range begins where the one before it ended, and none goes beyond the head. A row may be there twice,
-- word for word, where retention carried it over. touches: delivery, listener, head
with ranges as (
  select d.listener, d.from_position, d.to_position
  from postrider.delivery d
  group by d.listener, d.from_position, d.to_position
), steps as (
  select r.listener, r.from_position, r.to_position,
    lag(r.to_position) over (partition by r.listener order by r.from_position, r.to_position) as before
  from ranges r
), broken as (
  select s.listener, s.from_position, s.to_position, s.before
  from steps s
  where s.before is not null and s.from_position <> s.before + 1
), cursors as (
  select l.name, l.topic, (select max(r.to_position) from ranges r where r.listener = l.name) as cursor,
    coalesce((select h.position from postrider.head h where h.topic = l.topic order by h.position desc limit 1), 0) as head
  from postrider.listener l
)
select (select count(*) from cursors) as listeners, (select count(*) from ranges) as ranges,
  (select count(*) from broken) as broken,
  (select count(*) from cursors c where c.cursor is null or c.cursor > c.head) as astray,
  coalesce((
    select array_agg(b.what) from (
      select 'listener ' || b.listener || ' went on at ' || b.from_position || ' after ' || b.before as what
      from broken b order by b.listener, b.from_position limit 5) b), '{}')
  || coalesce((
    select array_agg(c.what) from (
      select 'listener ' || c.name || case when c.cursor is null then ' has no ledger'
        else ' is at ' || c.cursor || ', beyond the head ' || c.head end as what
      from cursors c where c.cursor is null or c.cursor > c.head order by c.name limit 5) c), '{}') as offenders
