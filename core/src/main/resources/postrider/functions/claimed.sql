-- claimed(topic, after, upto, bytes): the jobs at positions that the caller has claimed.
--
-- takes    bytes: stop when the payloads together reach this size; at least one job is returned
-- gives    the jobs ordered by position. wait: milliseconds until the job is due, null if it is due. hold: cancelled; bad, if it
--          can never be due. A position whose event was deleted has nulls
-- touches  log, event, cancellation (reads)
create or replace function postrider.claimed(of_topic text, after bigint, upto bigint, bytes bigint)
returns table (
  "position" bigint, event_id uuid, type text, payload text, key text, project_id text, user_id text,
  aggregate_type text, aggregate_id text, headers text, created_at timestamptz, wait bigint, unique_key text,
  hold text)
language plpgsql stable
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_partitionwise_join = on
set jit = off
set max_parallel_workers_per_gather = 0
as $$
#variable_conflict use_column
declare
  now timestamptz := clock_timestamp();
begin
  return query
  select r.position, r.event_id, r.type, r.payload, r.key, r.project_id, r.user_id, r.aggregate_type, r.aggregate_id,
    r.headers, r.created_at, r.wait, r.unique_key, r.hold
  from (
    select r.*, sum(octet_length(r.payload)) over (rows unbounded preceding) as running
    from (
      select l.position, e.event_id, e.type::text, e.payload::text as payload, e.key::text, e.project_id::text,
        e.user_id::text, e.aggregate_type::text, e.aggregate_id::text, e.headers::text as headers, e.created_at::timestamptz,
        case when e.due_at > now and e.due_at < timestamptz '10000-01-01 00:00:00+00'
          then (extract(epoch from e.due_at - now) * 1000)::bigint end as wait, e.unique_key::text,
        case when exists (
          select from postrider.cancellation c where c.topic = of_topic and c.position = l.position) then 'cancelled'
          when e.due_at >= timestamptz '10000-01-01 00:00:00+00' then 'bad' end as hold
      from postrider.log l
      left join postrider.event e on e.tx = l.tx and e.id = l.id
      where l.topic = of_topic
      and l.position > after
      and l.position <= upto
      order by l.position
    ) r
  ) r
  where coalesce(r.running - octet_length(r.payload), 0) < bytes;
end
$$;
