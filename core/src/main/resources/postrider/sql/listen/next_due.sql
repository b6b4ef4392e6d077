-- how long until the next setback behind the cursor is due; null if there is none
select case when count(*) > 0 then
    greatest(0, extract(epoch from min(coalesce(s.retry_after,
      case when :shared and s.worker <> :worker then s.begun_at + interval '1 minute' end, clock_timestamp())) - clock_timestamp()) * 1000)::int8
  end as wait_millis
from postrider.setback s
where s.listener = :listener and s.position <= :cursor
and not exists (
  select from postrider.setback e where e.listener = s.listener and e.key = s.key and e.position < s.position)
