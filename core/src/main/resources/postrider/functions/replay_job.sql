-- replay_job(topic, position): a dead job runs again from its first attempt, and takes its unique key again.
--
-- gives    replayed: whether its dead letter is gone. held_by: another job that holds the unique key meanwhile; then the dead
--          letter stays. It also stays if it has no content (fill_bare.sql)
-- touches  dead_letter, delayed, unique_job (writes), log, event (reads)
-- locks    the dead letter, and the key: an enqueue with the same key waits, and then finds this job as the holder
create or replace function postrider.replay_job(
  of_topic      text,
  of_position   bigint,
  out replayed  boolean,
  out held_by   uuid)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  letter      postrider.dead_letter;
  of_queue    text := split_part(of_topic, ':', 2);
  of_project  text;
  of_key      text;
begin
  replayed := false;
  select x.* into letter from postrider.dead_letter x
  where x.listener = of_topic and x.position = of_position and not (x.error_code = 'unreadable' and x.type = 'unreadable')
  for update;
  if not found then
    return;
  end if;
  of_project := coalesce(letter.project_id, '');
  select e.unique_key into of_key
  from postrider.log l
  join postrider.event e on e.tx = l.tx and e.id = l.id
  where l.topic = of_topic and l.position = of_position;
  while of_key is not null loop  -- as in enqueue(): the holder may end between two of these statements
    insert into postrider.unique_job (queue, project_id, unique_key, event_id)
    values (of_queue, of_project, of_key, letter.event_id)
    on conflict do nothing;
    exit when found;
    -- A key that is held for a period keeps its end: it is not released when the job is done.
    update postrider.unique_job u
    set event_id = letter.event_id, until = case when u.until > clock_timestamp() then u.until else 'infinity' end
    where u.queue = of_queue and u.project_id = of_project and u.unique_key = of_key
    and (u.event_id = letter.event_id or u.until <= clock_timestamp());
    exit when found;
    select u.event_id into held_by from postrider.unique_job u
    where u.queue = of_queue and u.project_id = of_project and u.unique_key = of_key;
    if held_by is not null then
      return;
    end if;
  end loop;
  delete from postrider.dead_letter x where x.id = letter.id;
  insert into postrider.delayed
    (topic, position, event_id, created_at, type, key, project_id, user_id, aggregate_type, aggregate_id, payload, headers,
     unique_key, why, due_at)
  values
    (letter.topic, letter.position, letter.event_id, letter.created_at, letter.type, letter.key, letter.project_id,
     letter.user_id, letter.aggregate_type, letter.aggregate_id, letter.payload, letter.headers, of_key, 'replay',
     clock_timestamp())
  on conflict (topic, position) do nothing;
  replayed := found;
end
$$;
