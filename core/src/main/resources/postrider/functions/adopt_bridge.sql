-- adopt_bridge('hold' or 'emit', spec): the trigger on an adopted table. Each new row becomes an event or a job in the writer's own
-- transaction; with hold it waits in adoption_held until the older rows are imported.
--
-- takes    everything as arguments of the trigger. A writer in REPEATABLE READ sees the trigger, but not a row of adoption that was
--          written in the same transaction as the trigger
-- touches  adopted, adoption_held, adoption_reject, event (writes)
-- rights   runs as its owner, so that the writers of the old table need no new grants. Only roles that are granted execute can
--          attach it to a table
create or replace function postrider.adopt_bridge()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
set jit = off
as $$
declare
  spec     jsonb := tg_argv[1];
  row_id   text;
  e        record;
begin
  execute format('select ($1).%I::text', spec #>> '{fields,id}') into row_id using new;
  select c.* into e from postrider.adopt_convert(spec, row_id, postrider.adopt_json(new)) c;
  if e.problem is not null then
    insert into postrider.adoption_reject (source, adopted_id, problem)
    values (spec ->> 'source', coalesce(row_id, ''), e.problem)
    on conflict do nothing;
    return null;
  end if;
  insert into postrider.adopted (source, adopted_id, event_id, how)
  values (spec ->> 'source', row_id, e.event_id, case when spec ->> 'kind' = 'jobs' and e.finished then 'skip' else 'bridge' end)
  on conflict do nothing;
  if not found or spec ->> 'kind' = 'jobs' and e.finished then
    return null;
  end if;
  if tg_argv[0] = 'hold' then
    insert into postrider.adoption_held (source, adopted_id, event_id, created_at, type, key, project_id, user_id, aggregate_type,
      aggregate_id, payload, headers, due_at)
    values (spec ->> 'source', row_id, e.event_id, e.created_at, e.type, e.key, e.project_id, e.user_id, e.aggregate_type,
      e.aggregate_id, e.payload, e.headers, e.due_at);
  else
    insert into postrider.event (event_id, created_at, topic, type, key, project_id, user_id, aggregate_type, aggregate_id, payload,
      headers, due_at)
    values (e.event_id, e.created_at, spec ->> 'topic', e.type, e.key, e.project_id, e.user_id, e.aggregate_type, e.aggregate_id,
      e.payload, e.headers, e.due_at);
  end if;
  return null;
end
$$;

-- A role that could attach it to a table of its own could write to any topic.
revoke execute on function postrider.adopt_bridge from public;
