-- the positions of all topics: how many, how many gaps, duplicates, and topics whose head is not their last position.
-- Segments are ranges of ids, and a long transaction has a low id and a late position. So below the last position that retention
-- has removed, a gap proves nothing: those are counted separately as thinned.
-- touches: log, head, segment, segment_topic, forgotten
with removed as materialized (
  select (select min(s.low) from postrider.segment s where s.family = 'log' and s.emptied_at is null) as first_kept
), steps as (
  select l.topic, l.position, l.position - coalesce(lag(l.position) over w, 0) as step,
    row_number() over w = 1 as is_first
  from postrider.log l
  window w as (partition by l.topic order by l.position)
), judged as (
  select s.topic, s.position, s.step,
    s.step > 1 and exists (select from postrider.forgotten f where f.topic = s.topic) and (s.is_first or s.position <= coalesce((
      select max(t.last_position) from postrider.segment_topic t where t.topic = s.topic and t.low <= r.first_kept),
      s.position)) as thinned
  from steps s, removed r
), topics as (
  select j.topic, count(*) as positions, max(j.position) as last,
    count(*) filter (where j.step > 1 and not j.thinned) as holes,
    count(*) filter (where j.step = 0) as repeats, count(*) filter (where j.thinned) as thinned
  from judged j
  group by j.topic
)
select count(*) as topics, coalesce(sum(t.positions), 0)::int8 as positions, coalesce(sum(t.holes), 0)::int8 as holes,
  coalesce(sum(t.repeats), 0)::int8 as repeats, coalesce(sum(t.thinned), 0)::int8 as thinned,
  count(*) filter (where t.last is distinct from h.position
    and not coalesce(h.position <= (select f.position from postrider.forgotten f where f.topic = t.topic), false)) as heads
from topics t
left join lateral (
  select h.position from postrider.head h where h.topic = t.topic order by h.position desc limit 1) h on true
