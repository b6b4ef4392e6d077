-- drop_cancelled(topic, positions): finishes those of the jobs just put aside that were cancelled.
--
-- gives    how many were finished
-- touches  delayed, cancellation, finish, unique_job (writes)
-- never    without the lock of the worker that held them, or of their rows: a concurrent cancellation could be missed
create or replace function postrider.drop_cancelled(of_topic text, positions bigint[])
returns bigint
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  dropped   bigint;
  released  text;
begin
  with asked as (
    delete from postrider.cancellation c where c.topic = of_topic and c.position = any (positions)
    returning c.position, c.reason
  ), gone as (
    delete from postrider.delayed d using asked a where d.topic = of_topic and d.position = a.position
    returning d.topic, d.position, d.event_id, d.project_id, d.unique_key, d.attempt, a.reason
  ), finished as (
    insert into postrider.finish (topic, position, fate, attempts, result)
    select g.topic, g.position, 'cancelled', g.attempt, to_jsonb(g.reason) from gone g
  )
  select count(*), case when count(*) > 0 then postrider.release_unique(
    array_agg(g.topic), array_agg(g.project_id), array_agg(g.unique_key), array_agg(g.event_id))::text end
  into dropped, released
  from gone g;
  return dropped;
end
$$;
