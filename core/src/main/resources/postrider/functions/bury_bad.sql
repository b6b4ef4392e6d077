-- bury_bad(topic, positions): turns claimed jobs with a bad row into dead letters, so that a bad row affects one job and never
-- its queue. A row is bad if its due_at is out of range, or if its event was deleted.
--
-- takes    positions that the caller settles in the same transaction; positions with a row in delayed are skipped
-- gives    the number of new dead letters
-- touches  dead_letter, unique_job (writes), delayed, log, event (reads)
create or replace function postrider.bury_bad(of_topic text, positions bigint[])
returns bigint
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
declare
  buried    bigint;
  released  text;
begin
  with bad as (
    select p.position, e.event_id, e.created_at, e.type, e.key, e.project_id, e.user_id, e.aggregate_type, e.aggregate_id,
      e.payload, e.headers, e.due_at, e.unique_key
    from unnest(positions) p (position)
    left join postrider.log l on l.topic = of_topic and l.position = p.position
    left join postrider.event e on e.tx = l.tx and e.id = l.id
    where not exists (select from postrider.delayed d where d.topic = of_topic and d.position = p.position)
  ), letters as (
    insert into postrider.dead_letter
      (listener, position, topic, event_id, created_at, type, key, project_id, user_id, aggregate_type, aggregate_id, payload,
       headers, attempts, error_code, error)
    select of_topic, e.position, of_topic, coalesce(e.event_id, '00000000-0000-0000-0000-000000000000'::uuid),
      coalesce(e.created_at, clock_timestamp()), coalesce(e.type, 'unreadable'), e.key, e.project_id, e.user_id,
      e.aggregate_type, e.aggregate_id, coalesce(e.payload, 'null'::jsonb), coalesce(e.headers, '{}'::jsonb), 0,
      case when e.event_id is null then 'unreadable' else 'bad_row' end,
      case when e.event_id is null then 'the event was deleted'
        else 'due_at is ' || e.due_at::text || '; it must be before the year 10000' end
    from bad e
    on conflict (listener, position) do update
    set error_code = excluded.error_code, error = excluded.error, died_at = excluded.died_at
  )
  select count(*), postrider.release_unique(
    array_agg(of_topic), array_agg(b.project_id::text), array_agg(b.unique_key::text), array_agg(b.event_id))::text
  into buried, released
  from bad b;
  return buried;
end
$$;
