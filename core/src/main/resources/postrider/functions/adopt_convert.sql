-- adopt_convert(spec, id, old): the event that a row of an adopted table becomes. Used by the trigger and by the import, so both
-- give a row the same id and content.
--
-- takes    spec: the columns of each field, and what else recognition found (JdbcAdoptions). old: the row as jsonb, or null if jsonb
--          cannot hold it
-- gives    the columns of the event; finished: whether the old system has finished the row; problem: null, or why the row cannot
--          become an event. It never raises an error: a writer of the old table must not fail because of Postrider. Reads only, so
--          the subtransaction of its exception block gets no transaction id
create or replace function postrider.adopt_convert(
  spec                jsonb,
  adopted_id          text,
  old                 jsonb,
  out event_id        uuid,
  out created_at      timestamptz,
  out type            text,
  out key             text,
  out project_id      text,
  out user_id         text,
  out aggregate_type  text,
  out aggregate_id    text,
  out payload         jsonb,
  out headers         jsonb,
  out due_at          timestamptz,
  out finished        boolean,
  out problem         text)
language plpgsql stable
set search_path = pg_catalog, pg_temp
set jit = off
as $$
#variable_conflict use_variable
declare
  fields   jsonb := spec -> 'fields';
  field    text := 'row';
  broken   text;
  status   text;
begin
  if old is null then
    problem := 'the row contains the character U+0000, which jsonb cannot hold';
    return;
  end if;
  field := 'id';
  if adopted_id is null then
    problem := 'id is null';
    return;
  end if;
  event_id := case when spec ->> 'id_type' = 'uuid' then adopted_id::uuid
    else postrider.adopted_event_id(spec ->> 'source', adopted_id) end;
  field := 'created_at';
  created_at := coalesce(postrider.adopt_time(spec, old, 'created_at'), clock_timestamp())::postrider.event_time;
  field := 'type';
  type := coalesce(old ->> (fields ->> 'type'), spec ->> 'type')::postrider.type_name;
  field := 'key';
  key := coalesce(old ->> (fields ->> 'key'), old ->> (fields ->> 'aggregate_id'))::postrider.event_key;
  field := 'project_id';
  project_id := (old ->> (fields ->> 'project_id'))::postrider.event_reference;
  field := 'user_id';
  user_id := (old ->> (fields ->> 'user_id'))::postrider.event_reference;
  field := 'aggregate_type';
  aggregate_type := (old ->> (fields ->> 'aggregate_type'))::postrider.event_reference;
  field := 'aggregate_id';
  aggregate_id := (old ->> (fields ->> 'aggregate_id'))::postrider.event_reference;
  field := 'payload';
  payload := case
    when fields ->> 'payload' is null then old - array(select jsonb_array_elements_text(spec -> 'not_payload'))
    when old ->> (fields ->> 'payload') is null then 'null'
    when spec ->> 'payload_type' = 'text' then (old ->> (fields ->> 'payload'))::jsonb
    when spec ->> 'payload_type' = 'bytea' then convert_from(decode(substr(old ->> (fields ->> 'payload'), 3), 'hex'), 'UTF8')::jsonb
    else old -> (fields ->> 'payload') end;
  payload := payload::postrider.event_payload;
  field := 'headers';
  headers := case when jsonb_typeof(old -> (fields ->> 'headers')) = 'object' then old -> (fields ->> 'headers') else '{}' end;
  headers := (headers || jsonb_build_object('adopted_from', spec ->> 'source', 'adopted_id', adopted_id))::postrider.event_headers;
  field := 'status';
  status := lower(old ->> (fields ->> 'status'));
  finished := old ->> (fields ->> 'processed_at') is not null or old ->> (fields ->> 'processed') is not distinct from 'true'
    or coalesce(spec -> 'finished' ? status, false);
  if spec ->> 'kind' = 'jobs' then
    field := 'run_at';
    due_at := greatest(postrider.adopt_time(spec, old, 'run_at'), postrider.adopt_time(spec, old, 'retry_at'));
    -- The old worker keeps a job that it has claimed until its lease ends.
    if spec -> 'in_progress' ? status then
      field := 'lease_expires_at';
      due_at := greatest(due_at, coalesce(postrider.adopt_time(spec, old, 'lease_expires_at'),
        postrider.adopt_time(spec, old, 'claimed_at') + (spec ->> 'lease')::interval));
    end if;
    due_at := due_at::postrider.event_time;
  end if;
exception when others then
  get stacked diagnostics broken = constraint_name;
  problem := case
    when broken = 'payload_is_under_the_cap' then 'the payload is over the cap'
    when broken = 'type_is_a_name' then 'the type is not a name (letters, digits and ._:/-, at most 200)'
    when field = 'payload' and sqlstate like '22%' then 'the payload is not JSON'
    else field || ' cannot be used: ' || left(sqlerrm, 200) end;
end
$$;
