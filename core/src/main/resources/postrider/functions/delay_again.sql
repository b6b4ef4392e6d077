-- delay_again(topic, position, worker, attempt, why, wait, counted, code, error, stack): schedules a job that has a row in
-- delayed again; or finishes it, if it was cancelled meanwhile.
--
-- takes    wait: milliseconds. counted: whether this attempt counts
-- gives    whether the job still belonged to the worker
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
  of_stack     text default null)
returns boolean
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
begin
  update postrider.delayed d
  set worker = null, claimed_at = null, why = of_why, due_at = clock_timestamp() + wait * interval '1 millisecond',
    since = clock_timestamp(),
    attempt = d.attempt - case when counted then 0 else 1 end, crashes = 0,
    error_code = coalesce(code, d.error_code), error = coalesce(of_error, d.error),
    stack = case when of_error is null then d.stack else of_stack end
  where d.topic = of_topic and d.position = of_position and d.worker = of_worker and d.attempt = of_attempt;
  if not found then
    return false;
  end if;
  perform postrider.drop_cancelled(of_topic, array[of_position]);
  return true;
end
$$;
