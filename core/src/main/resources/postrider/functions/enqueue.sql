-- enqueue(queue, type, payload, run_at, …): writes one job in the caller's transaction.
--
-- takes    run_at: earliest start; null: immediately. priority: high, normal, low. unique_key: if another job of the queue and
--          the project holds it, nothing is written. unique_for: how long the key is held; null: until the job is finished
-- gives    the job's id, or the id of the job that holds the unique key
-- touches  event, unique_job (writes)
-- rights   runs as its owner. With rights on unique_job, a producer could read and take the keys of others
-- locks    a unique key that it takes: another transaction that enqueues with the same key waits for the end of this one
create or replace function postrider.enqueue(
  queue           text,
  type            text,
  payload         jsonb,
  run_at          timestamptz  default null,
  key             text         default null,
  priority        text         default 'normal',
  unique_key      text         default null,
  unique_for      interval     default null,
  project_id      text         default null,
  user_id         text         default null,
  headers         jsonb        default '{}',
  aggregate_type  text         default null,
  aggregate_id    text         default null,
  job_id          uuid         default null)
returns uuid
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
set jit = off
as $$
#variable_conflict use_variable
declare
  written  uuid := coalesce(job_id, postrider.new_job_id());
  holder   uuid;
begin
  if queue is null or queue !~ '^[A-Za-z0-9][A-Za-z0-9._-]*$' or octet_length(queue) > 80 then
    raise exception 'queue must match [A-Za-z0-9][A-Za-z0-9._-]* and have at most 80 characters, was %', quote_nullable(left(queue, 120))
      using errcode = '22023';
  end if;
  if priority is null or priority not in ('high', 'normal', 'low') then
    raise exception 'priority must be high, normal or low, was %', quote_nullable(left(priority, 120)) using errcode = '22023';
  end if;
  if run_at >= timestamptz '10000-01-01 00:00:00+00' then
    raise exception 'run_at must be before the year 10000, was %', run_at using errcode = '22023';
  end if;
  if run_at < timestamptz '0001-01-01 00:00:00+00' then
    raise exception 'run_at must be in the year 1 or later, was %', run_at using errcode = '22023';
  end if;
  if type is null then
    raise exception 'type must be given, was NULL' using errcode = '22023';
  end if;
  if unique_for <= interval '0' then
    raise exception 'unique_for must be positive, was %', unique_for using errcode = '22023';
  end if;
  if unique_for > interval '36500 days' then
    raise exception 'unique_for must be at most 36500 days, was %', unique_for using errcode = '22023';
  end if;
  if unique_key is not null then
    if octet_length(unique_key) not between 1 and 1024 then
      raise exception 'unique_key must have 1..1024 bytes, has % bytes and begins with %', octet_length(unique_key), quote_literal(left(unique_key, 60))
        using errcode = '22023';
    end if;
    loop
      -- Not "do update": that would lock the row of the job that holds the key, and its settlement would wait for our caller.
      insert into postrider.unique_job (queue, project_id, unique_key, event_id, until)
      values (queue, coalesce(project_id, ''), unique_key, written, coalesce(clock_timestamp() + unique_for, 'infinity'))
      on conflict do nothing;
      exit when found;
      update postrider.unique_job u set event_id = written, until = coalesce(clock_timestamp() + unique_for, 'infinity')
      where u.queue = enqueue.queue and u.project_id = coalesce(enqueue.project_id, '') and u.unique_key = enqueue.unique_key
      and u.until <= clock_timestamp();
      exit when found;
      select u.event_id into holder
      from postrider.unique_job u
      where u.queue = enqueue.queue and u.project_id = coalesce(enqueue.project_id, '') and u.unique_key = enqueue.unique_key;
      if holder is not null then
        return holder;
      end if;
    end loop;
  end if;
  insert into postrider.event
    (event_id, topic, type, key, project_id, user_id, aggregate_type, aggregate_id, payload, headers, due_at, unique_key)
  values
    (written, 'queue:' || queue || case priority when 'normal' then '' else ':' || priority end, type, key, project_id,
     user_id, aggregate_type, aggregate_id, payload, coalesce(headers, '{}'), run_at, unique_key);
  return written;
end
$$;

-- It writes with its owner's rights, so only roles that are granted execute may call it.
revoke execute on function postrider.enqueue from public;
