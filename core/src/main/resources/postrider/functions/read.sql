-- read(topic, after, upto, most, bytes, types, low_id, high_id, projects): the events at positions after < position <= upto.
--
-- takes    most, bytes: stop after this many events, or when the payloads together reach this size; at least one is returned.
--          types, projects: only these, null for all. low_id, high_id: a range of ids that contains all of them, to read few segments
-- gives    the events ordered by position; running is the total length of the payloads up to each. A position whose event was
--          deleted has nulls, whatever its type was. era: in which this was read
-- touches  log, event, era (reads)
-- never    without both ends of the range: a segment without statistics would be hashed as a whole. There is one generic plan,
--          made once in each session: planning ten segments takes longer than reading a batch
create or replace function postrider.read(
  of_topic  text,
  after     bigint,
  upto      bigint,
  most      int,
  bytes     bigint,
  types     text[],
  low_id    bigint,
  high_id   bigint,
  projects  text[] default null)
returns table (
  "position" bigint, event_id uuid, type text, payload text, key text, project_id text, user_id text,
  aggregate_type text, aggregate_id text, headers text, created_at timestamptz, era int,
  running bigint)
language plpgsql stable
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_partitionwise_join = on
set jit = off
as $$
#variable_conflict use_column
begin
  return query
  select r.*
  from (
    select r.*, sum(octet_length(r.payload)) over (rows unbounded preceding) as running
    from (
      select l.position, e.event_id, e.type::text, e.payload::text as payload, e.key::text, e.project_id::text,
        e.user_id::text, e.aggregate_type::text, e.aggregate_id::text, e.headers::text as headers, e.created_at::timestamptz,
        (select max(a.era) from postrider.era a) as era
      from postrider.log l
      left join postrider.event e on e.tx = l.tx and e.id = l.id
      where l.topic = of_topic
      and l.position > after
      and l.position <= upto
      and l.id >= low_id
      and l.id <= high_id
      and (types is null or e.type is null or e.type = any (types))
      and (projects is null or e.type is null or e.project_id = any (projects))
      order by l.position
      limit most
    ) r
  ) r
  where coalesce(r.running - octet_length(r.payload), 0) < bytes;
end
$$;
