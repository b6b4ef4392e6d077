-- how many events were created in a time range, in total or by group, the largest first. ReadConditions inserts the group and the
-- conditions. touches: event_log
select null::text /* group */ as name, count(*) as events
from postrider.event_log e
where true /* conditions */
and e.created_at >= :from
and e.created_at < :to
group by 1
order by 2 desc, 1
limit :most
