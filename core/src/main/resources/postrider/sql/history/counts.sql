-- how many events were created in each time bucket, in total or by group. ReadConditions inserts the group and the conditions.
-- touches: event_log
select date_bin(:seconds * interval '1 second', e.created_at, timestamptz '2001-01-01 00:00:00+00') as bucket,
  null::text /* group */ as name, count(*) as events
from postrider.event_log e
where true /* conditions */
and e.created_at >= :from
and e.created_at < :to
group by 1, 2
order by 1, 2
limit :most
