-- events whose id no sequence drew: beyond the last segment, above the sequence and above every number that a pass saw in use. The
-- owner wrote them with an id of its own. Counted up to 1000
-- touches: event_beyond, event_ids, pass, era
select count(*) as events, min(b.id) as first_id, max(b.id) as last_id
from (
  select b.id
  from postrider.event_beyond b
  where has_sequence_privilege('postrider.event_ids', 'usage')
  and b.id > greatest(
    coalesce(pg_sequence_last_value('postrider.event_ids'), 0),
    (select max(p.high) from (select p.high from postrider.pass p order by p.n desc limit 1000) p),
    (select max(e.high) from postrider.era e))
  limit 1000
) b
having count(*) > 0
