-- take_over(worker, most_crashes): marks a worker that is gone as ended and hands over all its open jobs, in one transaction.
--
-- takes    most_crashes: see hand_over_next
-- gives    the number of jobs handed over; null if another node has done it
-- touches  what hand_over_next() touches
create or replace function postrider.take_over(of_worker bigint, most_crashes int)
returns bigint
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
begin
  return (select h.jobs from postrider.hand_over_next(of_worker, most_crashes, 0, 2147483647) h);
end
$$;
