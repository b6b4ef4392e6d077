-- the claims of each lane, in order: each begins where the previous one ended, none is beyond the head. Each claimed position
-- is settled at most once, and exactly once if its worker has ended. A job that was put aside is in one place: it waits or runs, is
-- finished, or was a dead letter.
-- touches: claim, settlement, worker, delayed, finish, dead_letter, head
with steps as (
  select c.topic, c.n, c.from_position, c.to_position, c.worker,
    lag(c.to_position) over (partition by c.topic order by c.from_position, c.n) as before_to
  from postrider.claim c
), broken as (
  select s.topic, s.n, 'claim ' || s.n || ' of ' || s.topic || ' begins at ' || s.from_position || ' after ' || s.before_to as what
  from steps s where s.before_to is not null and s.from_position <> s.before_to + 1
), settled as (
  select s.n, sum(upper(r) - lower(r)) as positions, range_agg(r) as all_of_them
  from postrider.settlement s, unnest(s.positions) r
  group by s.n
), unsettled as (
  select c.topic, c.n,
    'claim ' || c.n || ' of ' || c.topic || case
      when s.positions <> (select sum(upper(r) - lower(r)) from unnest(s.all_of_them) r) then ' is settled twice in places'
      when not int8multirange(int8range(c.from_position, c.to_position, '[]')) @> s.all_of_them then ' is settled beyond itself'
      else ' was left by worker ' || c.worker || ', and not taken over' end as what
  from postrider.claim c
  left join settled s on s.n = c.n
  where c.from_position <= c.to_position
  and (s.positions <> (select sum(upper(r) - lower(r)) from unnest(s.all_of_them) r)
    or not int8multirange(int8range(c.from_position, c.to_position, '[]')) @> s.all_of_them
    or coalesce(s.positions, 0) < c.to_position - c.from_position + 1
      and exists (select from postrider.worker w where w.id = c.worker and w.handed_over_at is not null))
), doubled as (
  select d.topic, 0::bigint as n, d.topic || ' position ' || d.position || ' waits and is ' || case
    when x.id is not null then 'a dead letter' else 'finished' end as what
  from postrider.delayed d
  left join postrider.dead_letter x on x.listener = d.topic and x.position = d.position
  left join lateral (
    select f.n from postrider.finish f where f.topic = d.topic and f.position = d.position limit 1) f on true
  where x.id is not null or f.n is not null
), wrong as (
  select * from broken union all select * from unsettled union all select * from doubled
)
select (select coalesce(sum(c.to_position - c.from_position + 1), 0) from postrider.claim c) as jobs,
  (select count(distinct c.topic) from postrider.claim c) as lanes, (select count(*) from wrong) as wrong,
  array(select w.what from wrong w order by w.topic, w.n limit 5) as offenders
