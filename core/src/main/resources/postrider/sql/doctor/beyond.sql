-- rows in the tables beyond the last segment, counted up to 1000
select b.name, b.rows
from (
  select 'event_beyond' as name, (select count(*) from (select from postrider.event_beyond limit 1000) r) as rows
  union all
  select 'log_beyond', (select count(*) from (select from postrider.log_beyond limit 1000) r)
  union all
  select 'pass_beyond', (select count(*) from (select from postrider.pass_beyond limit 1000) r)
  union all
  select 'head_beyond', (select count(*) from (select from postrider.head_beyond limit 1000) r)
  union all
  select 'delivery_beyond', (select count(*) from (select from postrider.delivery_beyond limit 1000) r)
) b
where b.rows > 0
