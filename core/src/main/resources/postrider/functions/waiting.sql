-- waiting(topic, position): why a job is waiting. No row if it is finished, running or unknown.
--
-- takes    its lane and position; position 0: it has none yet
-- gives    reason: no_position, time, retry, paused, no_worker, no_handler, key, limit, alone, behind. until: when it may run.
--          ahead: the number of jobs before it in its lane. detail: the limit that is reached, or the type without a handler
-- touches  event, log, delayed, queue, claim, worker, worker_queue, dead_letter (reads)
create or replace function postrider.waiting(of_topic text, of_position bigint)
returns table (reason text, until timestamptz, ahead bigint, detail text)
language plpgsql stable
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
#variable_conflict use_column
declare
  now       timestamptz := clock_timestamp();
  job       record;
  claimed   bigint;
  of_queue  text;
  queue     postrider.queue;
begin
  if of_position = 0 then
    return query select 'no_position', null::timestamptz, null::bigint, null::text;
    return;
  end if;
  if exists (select from postrider.dead_letter x where x.listener = of_topic and x.position = of_position)
    or exists (select from postrider.cancellation c where c.topic = of_topic and c.position = of_position) then
    return;
  end if;
  select coalesce((
    select c.to_position from postrider.claim c where c.topic = of_topic order by c.from_position desc, c.n desc limit 1), 0)
  into claimed;
  select d.type, d.key, d.due_at, d.why, d.worker, d.crashes into job
  from postrider.delayed d where d.topic = of_topic and d.position = of_position;
  if job.type is null then
    if of_position <= claimed then
      return;  -- a worker holds it, or it is settled
    end if;
    select e.type::text, e.key::text, coalesce(e.due_at, now) as due_at, null::text as why, null::bigint as worker, 0 as crashes
    into job
    from postrider.log l
    join postrider.event e on e.tx = l.tx and e.id = l.id
    where l.topic = of_topic and l.position = of_position;
  end if;
  if job.worker is not null then
    return;
  end if;

  of_queue := split_part(of_topic, ':', 2);
  select q.* into queue from postrider.queue q where q.name = of_queue;
  until := null;
  ahead := null;
  detail := null;
  if job.due_at > now then
    reason := case job.why when 'retry' then 'retry' else 'time' end;
    until := job.due_at;
  elsif queue.paused then
    reason := 'paused';
  elsif not postrider.works_on(of_queue) then
    reason := 'no_worker';
  elsif not postrider.works_on(of_queue, job.type) then
    reason := 'no_handler';
    detail := job.type;
  elsif queue.key_limit is not null and job.key is not null and exists (
    select from postrider.crowd(of_queue) c where c.key = job.key and c.running >= queue.key_limit) then
    reason := 'key';
    detail := queue.key_limit::text;
  elsif postrider.allowance(of_queue) <= 0 then
    reason := 'limit';
    detail := case when queue.rate is not null and postrider.begun(of_queue, queue.rate_period) >= queue.rate
      then format('%s in %s', queue.rate, queue.rate_period) else format('%s at once', queue.running_limit) end;
  elsif job.crashes > 1 then
    reason := 'alone';
    ahead := job.crashes;
  else
    reason := 'behind';
    if job.why is null then
      ahead := of_position - claimed - 1;
    else
      select count(*) into ahead
      from (
        select from postrider.delayed d
        where d.topic = of_topic and d.worker is null and (d.due_at, d.position) < (job.due_at, of_position)
        limit 100000) d;
    end if;
  end if;
  return next;
end
$$;
