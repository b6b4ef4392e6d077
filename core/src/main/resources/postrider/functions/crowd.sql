-- crowd(queue): for each key of a queue's running jobs, how many run; and more than any limit for a key that others wait for
-- already: who comes later stands behind them. Not behind those that wait for a time of their own: a retry, a snooze.
--
-- touches  delayed, open claims (reads)
create or replace function postrider.crowd(of_queue text)
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
    from postrider.open_keys(of_queue) o
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
