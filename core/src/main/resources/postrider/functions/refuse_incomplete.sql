-- refuse_incomplete(): the trigger function of the fields that a topic requires. require() makes the trigger, for events of these
-- topics only, and passes it the topics that require a project_id and those that require a user_id.
create or replace function postrider.refuse_incomplete()
returns trigger
language plpgsql stable
set search_path = pg_catalog, pg_temp
set jit = off
as $$
declare
  missing  text := concat_ws(' and ',
    case when coalesce(new.project_id::text, '') = '' and new.topic::text = any (tg_argv[0]::text[]) then 'project_id' end,
    case when coalesce(new.user_id::text, '') = '' and new.topic::text = any (tg_argv[1]::text[]) then 'user_id' end);
begin
  if missing <> '' then
    raise exception 'topic % requires %', new.topic, missing
      using errcode = 'check_violation', constraint = 'topic_requires_fields', schema = 'postrider', table = 'event';
  end if;
  return new;
end
$$;
