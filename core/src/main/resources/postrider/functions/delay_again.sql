-- delay_again(topic, position, worker, attempt, why, wait, counted, code, error, stack, claimed_at): schedules a job that has a
-- row in delayed again; or finishes it, if it was cancelled meanwhile.
--
-- takes    wait: milliseconds. counted: whether this attempt counts. claimed_at: the time of the claim; null from a node of a
--          previous version. The attempt alone is no fence: if it does not count, the next claim has the same number
-- gives    whether the row still belonged to this claim
-- touches  delayed, cancellation, finish, unique_job (writes)
-- locks    its row: the lock is one statement and the check for cancellations another
create or replace function postrider.delay_again(
  of_topic     text,
  of_position  bigint,
  of_worker    bigint,
  of_attempt   int,
  of_why       text,
  wait         bigint,
  counted      boolean,
  code         text,
  of_error     text,
  of_stack     text default null,
  claim_time   timestamptz default null)
returns boolean
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
begin
  -- claimed_at stays: settled_before.sql finds by it that this was done.
  update postrider.delayed d
  set worker = null, why = of_why, due_at = clock_timestamp() + wait * interval '1 millisecond',
    since = clock_timestamp(),
    attempt = d.attempt - case when counted then 0 else 1 end, crashes = 0,
    error_code = coalesce(code, d.error_code), error = coalesce(of_error, d.error),
    stack = case when of_error is null then d.stack else of_stack end
  where d.topic = of_topic and d.position = of_position and d.worker = of_worker and d.attempt = of_attempt
  and d.claimed_at = coalesce(claim_time, d.claimed_at);
  if not found then
    return false;
  end if;
  perform postrider.drop_cancelled(of_topic, array[of_position]);
  return true;
end
$$;
