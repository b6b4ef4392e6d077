-- empty_segments(keep, patience): empties the segments of the log that are older than keep and that every listener has passed.
-- A listener that holds a segment for longer than patience is detached: the disk must not fill up because of a listener that
-- never returns. Rows in the table beyond that belong to a segment are deleted with it.
--
-- gives    a row for each segment emptied ('emptied', its name) and each listener detached ('detached', its name)
-- touches  segment, forgotten, listener, event_beyond, log_beyond (writes); delayed, claim (let_go_of_jobs)
-- locks    the two tables of the segment exclusively, never their parents: producers do not use an old segment. The caller
--          sets a short lock_timeout and retries
create or replace function postrider.empty_segments(keep interval, patience interval)
returns table (what text, name text)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
as $$
#variable_conflict use_column
declare
  segment  postrider.segment;
  behind   text[];
begin
  if not pg_try_advisory_xact_lock('postrider.segment'::regclass::oid::int4, 1) then
    return;
  end if;
  if not exists (
    select from postrider.segment s
    where s.family = 'log' and s.emptied_at is null and s.closed_at < clock_timestamp() - keep) then
    return;
  end if;
  -- a listener that is being created waits, and then starts at what is left
  lock table postrider.listener in share row exclusive mode;
  for segment in
    select s.* from postrider.segment s
    where s.family = 'log' and s.emptied_at is null and s.closed_at < clock_timestamp() - keep
    order by s.low
  loop
    select array_agg(l.name) into behind
    from postrider.listener l
    join postrider.segment_topic t on t.low = segment.low and t.topic = l.topic
    where l.detached_at is null
    and t.last_position > (
      select d.to_position from postrider.delivery d where d.listener = l.name
      order by d.n desc limit 1);
    if behind is not null and segment.closed_at >= clock_timestamp() - patience then
      exit;  -- in order: a later segment is never emptied before an earlier one
    end if;
    if not postrider.let_go_of_jobs(segment.low, segment.closed_at < clock_timestamp() - patience) then
      exit;
    end if;
    return query
      update postrider.listener l set detached_at = clock_timestamp()
      where l.name = any (behind) returning 'detached', l.name;
    insert into postrider.forgotten (topic, position)
    select t.topic, t.last_position from postrider.segment_topic t where t.low = segment.low
    on conflict (topic) do update set position = greatest(forgotten.position, excluded.position);
    execute format('truncate postrider.%I, postrider.%I', 'event_' || segment.low, 'log_' || segment.low);
    with gone as (
      delete from postrider.log_beyond l using postrider.segment_topic t
      where t.low = segment.low and l.topic = t.topic and l.id < segment.high
      and l.position between t.first_position and t.last_position
      returning l.tx, l.id
    )
    delete from postrider.event_beyond e using gone g where e.tx = g.tx and e.id = g.id;
    update postrider.segment s set emptied_at = clock_timestamp() where s.family = 'log' and s.low = segment.low;
    return query select 'emptied', 'log_' || segment.low;
  end loop;
end
$$;
