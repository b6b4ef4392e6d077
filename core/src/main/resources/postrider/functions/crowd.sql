-- crowd(queue, besides): for each key of a queue's running jobs, how many run; for a key that earlier jobs wait for, a number above
-- any limit, so that later jobs queue behind them. Jobs that wait for their own time (a retry, a snooze) do not count as waiting.
--
-- takes    besides: a claim that is not counted, or null
--
-- touches  delayed, open claims (reads)
create or replace function postrider.crowd(of_queue text, besides bigint)
returns table (key text, running bigint)
language plpgsql stable
set search_path = pg_catalog, pg_temp
set jit = off
set enable_seqscan = off
as $$
#variable_conflict use_column
begin
  return query
  select k.key, sum(k.running)::bigint
  from (
    select o as key, 1::bigint as running
    from postrider.open_keys(of_queue, besides) o
    union all
    select d.key, 1
    from (select d.topic, d.key from postrider.delayed d where d.worker is not null offset 0) d
    where d.topic = any (postrider.lanes(of_queue)) and d.key is not null
    union all
    select distinct d.key, 1000000000
    from postrider.delayed d
    where d.topic = any (postrider.lanes(of_queue)) and d.worker is null and d.key is not null
    and d.why in ('key', 'crash', 'returned', 'carried over')
  ) k
  group by k.key;
end
$$;
