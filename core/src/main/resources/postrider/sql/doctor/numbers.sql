-- sequences that are below a number already used: their next value is taken, or lies in a range that is not read any more.
-- Ids of event from 2^62 on are left out: no sequence drew them, and after them it would come to its end (undrawn.sql).
-- touches: the sequences, pass, era, segment, claim, delivery, worker, listener
select s.name, s.value, s.used
from (
  select 'event_ids' as name,
    case when has_sequence_privilege('postrider.event_ids', 'usage')
      then coalesce(pg_sequence_last_value('postrider.event_ids'), 0) end as value,
    greatest(
      (select greatest(max(p.high) filter (where p.high < 4611686018427387904), max(p.high_id) filter (where p.high_id < 4611686018427387904))
        from (select p.* from postrider.pass p order by p.n desc limit 1000) p),
      (select max(e.high) from postrider.era e where e.high < 4611686018427387904),
      -- not the segment's own low: after ids that went to the table beyond, it is opened before any of its ids is used
      (select max(g.high) from postrider.segment g where g.family = 'log' and g.high < 4611686018427387904 and g.high <= (
        select max(o.low) from postrider.segment o where o.family = 'log' and o.opened_at is not null))) as used
  union all
  select 'claim_numbers',
    case when has_sequence_privilege('postrider.claim_numbers', 'usage')
      then coalesce(pg_sequence_last_value('postrider.claim_numbers'), 0) end,
    greatest(
      (select max(c.n) from (select w.id from postrider.worker w union select 0) w
        cross join lateral (select c.n from postrider.claim c where c.worker = w.id order by c.n desc limit 1) c),
      (select max(g.low) from postrider.segment g where g.family = 'claim' and g.opened_at is not null))
  union all
  select 'delivery_numbers',
    case when has_sequence_privilege('postrider.delivery_numbers', 'usage')
      then coalesce(pg_sequence_last_value('postrider.delivery_numbers'), 0) end,
    greatest(
      (select max(d.n) from postrider.listener l
        cross join lateral (select d.n from postrider.delivery d where d.listener = l.name order by d.n desc limit 1) d),
      (select max(g.low) from postrider.segment g where g.family = 'delivery' and g.opened_at is not null))
) s
where s.value < s.used
