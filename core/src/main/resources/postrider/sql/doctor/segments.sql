-- for each family of segments: how many are created ahead of the number in use. touches: segment, the sequences, pass
select f.family,
  (select count(*) from postrider.segment s where s.family = f.family and s.low > f.used) as ahead,
  (select count(*) from postrider.segment s where s.family = f.family and s.emptied_at is null) as kept
from (
  select 'log' as family, (select s.last_value from postrider.event_ids s) as used
  union all
  select 'pass', coalesce((select p.n from postrider.pass p order by p.n desc limit 1), 0)
  union all
  select 'delivery', (select s.last_value from postrider.delivery_numbers s)
  union all
  select 'claim', (select s.last_value from postrider.claim_numbers s)
) f
order by f.family
