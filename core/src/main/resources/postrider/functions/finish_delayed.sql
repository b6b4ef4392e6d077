-- finish_delayed(topic, position, worker, attempt, fate, result, claimed_at): finishes a job that has a row in delayed, as done or
-- cancelled.
--
-- takes    claimed_at: the time of the claim; null from a node of a previous version
-- gives    whether the row still belonged to this claim
-- touches  delayed, finish (writes)
create or replace function postrider.finish_delayed(
  of_topic     text,
  of_position  bigint,
  of_worker    bigint,
  of_attempt   int,
  of_fate      text,
  of_result    jsonb,
  claim_time   timestamptz default null)
returns boolean
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
begin
  with gone as (
    delete from postrider.delayed d
    where d.topic = of_topic and d.position = of_position and d.worker = of_worker and d.attempt = of_attempt
    and d.claimed_at = coalesce(claim_time, d.claimed_at)
    returning d.*
  )
  insert into postrider.finish (topic, position, fate, attempts, worker, claimed_at, result)
  select g.topic, g.position, of_fate, g.attempt, g.worker, g.claimed_at, of_result
  from gone g;
  return found;
end
$$;
