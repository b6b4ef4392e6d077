-- jobs that died in the last 24 hours, by queue and kind of error, with the latest error
select split_part(x.topic, ':', 2) as queue, coalesce(x.error_code, 'unknown') as code, count(*) as jobs,
  (array_agg(x.error order by x.died_at desc))[1] as error
from postrider.dead_letter x
where x.listener = x.topic
and x.topic >= 'queue:' and x.topic < 'queue;'
and x.died_at > clock_timestamp() - interval '24 hours'
group by 1, 2
order by count(*) desc, 1, 2
limit 20
