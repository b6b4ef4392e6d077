-- hand_over(n, topic, positions, why, attempts, crashes, error): schedules open positions of a claim individually from now on.
--
-- gives    how many positions
-- touches  settlement, delayed, progress (writes), log, event (reads)
-- never    without the lock of the claim's worker: the worker could be settling them
create or replace function postrider.hand_over(
  of_n          bigint,
  of_topic      text,
  of_positions  int8multirange,
  why           text,
  attempts      int,
  crashes       int,
  error         text)
returns bigint
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
set plan_cache_mode = force_generic_plan
as $$
declare
  each  bigint[] := array(select p from unnest(of_positions) r, generate_series(lower(r), upper(r) - 1) p);
  size  int[] := array[cardinality(each)];
begin
  perform postrider.put_aside(of_topic, each, array_fill(why, size), array_fill(0::bigint, size), array_fill(attempts, size),
    array_fill(crashes, size), array_fill(case when error is not null then why end, size), array_fill(error, size));
  insert into postrider.settlement (n, positions, topic, fate) values (of_n, of_positions, of_topic, 'aside');
  delete from postrider.progress p where p.topic = of_topic and p.position = any (each);
  return cardinality(each);
end
$$;
