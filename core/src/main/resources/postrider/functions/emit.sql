-- emit(topic, type, payload, …): writes one event in the caller's transaction.
--
-- gives    the event's id, the same for every consumer
-- touches  event (writes). Exists for callers that want a function; a plain insert into event is the same
create or replace function postrider.emit(
  topic           text,
  type            text,
  payload         jsonb,
  key             text   default null,
  project_id      text   default null,
  user_id         text   default null,
  headers         jsonb  default '{}',
  aggregate_type  text   default null,
  aggregate_id    text   default null,
  event_id        uuid   default null)
returns uuid
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
as $$
#variable_conflict use_variable
declare
  written uuid := coalesce(event_id, gen_random_uuid());
begin
  insert into postrider.event
    (event_id, topic, type, key, project_id, user_id, aggregate_type, aggregate_id, payload, headers)
  values
    (written, topic, type, key, project_id, user_id, aggregate_type, aggregate_id, payload, coalesce(headers, '{}'));
  return written;
end
$$;
