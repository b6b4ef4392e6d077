-- how long ago a pass last gave positions: -1 if never
select coalesce((
  select extract(epoch from clock_timestamp() - p.at)
  from postrider.pass p order by p.n desc limit 1), -1)::int8 as seconds
