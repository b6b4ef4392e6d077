-- require(topic, project_id, user_id): which of these two fields events of a topic must have; none of them removes the requirement.
-- Applies to events that are written from now on, also by a plain insert. Without any requirement there is no trigger, and emitting
-- costs nothing more; while there is one, an event of another topic costs about 5 µs more (of 47).
--
-- touches  topic_requirement (writes), the trigger event_is_complete
-- locks    event and its segments, exclusively, until the transaction ends: waits for transactions that have emitted, and
--          producers wait behind it. The caller sets lock_timeout
create or replace function postrider.require(topic text, project_id boolean, user_id boolean)
returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
as $$
#variable_conflict use_variable
declare
  projects  text[];
  users     text[];
begin
  if topic is null or left(topic, 6) = 'queue:' then
    raise exception 'topic must be given and must not be the lane of a queue, was %', coalesce(quote_literal(topic), 'null')
      using errcode = 'invalid_parameter_value';
  end if;
  perform topic::postrider.topic_name;
  lock table postrider.topic_requirement in share row exclusive mode;
  if project_id or user_id then
    insert into postrider.topic_requirement as r (topic, project_id, user_id)
    values (topic, coalesce(project_id, false), coalesce(user_id, false))
    on conflict on constraint topic_requirement_pkey do update
    set project_id = excluded.project_id, user_id = excluded.user_id;
  else
    delete from postrider.topic_requirement r where r.topic = topic;
  end if;
  select coalesce(array_agg(r.topic::text order by r.topic) filter (where r.project_id), '{}'),
    coalesce(array_agg(r.topic::text order by r.topic) filter (where r.user_id), '{}')
  into projects, users
  from postrider.topic_requirement r;
  if exists (
    select from pg_trigger t where t.tgrelid = 'postrider.event'::regclass and t.tgname = 'event_is_complete') then
    drop trigger event_is_complete on postrider.event;
  end if;
  if cardinality(projects) + cardinality(users) > 0 then
    -- A short condition: it is parsed by each statement. With the fields in it, events of other topics cost 13 µs more instead of 5.
    execute format(
      'create trigger event_is_complete before insert on postrider.event for each row when (new.topic = any (%L::text[]))'
      ' execute function postrider.refuse_incomplete(%L, %L)', projects || users, projects, users);
  end if;
end
$$;
