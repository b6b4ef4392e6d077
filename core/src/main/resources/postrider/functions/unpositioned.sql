-- unpositioned(): the committed events that have no position yet, by topic.
--
-- gives    topic, number of events, and when the oldest was emitted. At most a million events are counted, so that the views
--          still answer after every node has been down for hours; and of the backlog at most 1,000 topics that no listener or
--          worker reads, because a transaction can write to 600,000. If either limit is reached, the sum is a lower bound
-- touches  pass, era, event, log, backlog, head, listener, queue (reads, as the owner: readers of the views may not read these
--          tables)
-- never    visits the rows of an open transaction, or events that have a position: it reads between two snapshots as
--          sequence() does, so an idle database costs one index lookup per open segment, regardless of how many events it keeps
-- never    answers a role that may not read the views: not every producer may know the topic names
create or replace function postrider.unpositioned()
returns table (topic text, events bigint, oldest_at timestamptz)
language plpgsql stable security definer
rows 10
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set max_parallel_workers_per_gather = 0
set jit = off
as $$
#variable_conflict use_column
declare
  most         constant bigint := 1000000;
  most_topics  constant int := 1000;
  last         postrider.pass;
  now          pg_snapshot := pg_current_snapshot();
  change       text;
  era_high     bigint;
  low_gaps     xid8[];
  high_gaps    xid8[];
  late         xid8[];
  since        text;
  next         text[];
begin
  if not (has_table_privilege(session_user, 'postrider.listeners', 'select')
    or has_table_privilege(session_user, 'postrider.queues', 'select')
    or has_table_privilege(session_user, 'postrider.relays', 'select')) then
    raise exception 'role % may not read the views of postrider; grant select on postrider.listeners or postrider.queues',
      session_user using errcode = '42501';
  end if;
  select p.* into last from postrider.pass p order by p.n desc limit 1;
  if last.n is null then
    change := 'no pass';
  elsif not pg_is_in_recovery() then
    change := postrider.era_change(last.snapshot);
  end if;

  if change is not null then
    -- Transaction numbers are not comparable across eras. True in every era: all committed events up to the last pass's
    -- floor have their positions.
    perform set_config('enable_hashjoin', 'on', true);  -- without it, each event reads the log of its topic
    return query
    select e.topic::text, count(*), min(e.created_at)::timestamptz
    from (
      select e.topic, e.created_at
      from postrider.event e
      where e.id > coalesce(last.floor, 0)
      and not exists (
        select from postrider.log l
        where l.id > coalesce(last.floor, 0) and l.topic = e.topic and l.tx = e.tx and l.id = e.id)
      and not exists (
        select from postrider.backlog b
        where b.topic = e.topic and b.tx = e.tx and b.first_id <= e.id and b.last_id >= e.id)
      limit most) e
    group by e.topic;
  else
    select e.high into era_high from postrider.era e where e.era = last.era;
    select array_prepend(pg_snapshot_xmax(last.snapshot), array_agg(((x::text)::bigint + 1)::text::xid8 order by x)),
      array_append(array_agg(x order by x), pg_snapshot_xmax(now))
    into low_gaps, high_gaps
    from pg_snapshot_xip(now) x
    where x >= pg_snapshot_xmax(last.snapshot);
    select array_agg(x) into late from pg_snapshot_xip(last.snapshot) x where pg_visible_in_snapshot(x, now);
    return query
    select e.topic::text, count(*), min(e.created_at)::timestamptz
    from (
      select e.topic, e.created_at
      from unnest(low_gaps, high_gaps) as gap (from_tx, upto_tx)
      cross join lateral (
        select e.topic, e.created_at
        from postrider.event e
        where e.tx >= gap.from_tx
        and e.tx < gap.upto_tx
        and e.id > last.low
        and (e.id > era_high or not exists (select from postrider.log l where l.tx = e.tx and l.id = e.id)
          and not exists (
            select from postrider.backlog b
            where b.topic = e.topic and b.tx = e.tx and b.first_id <= e.id and b.last_id >= e.id))
        offset 0) e
      union all
      select e.topic, e.created_at
      from unnest(late) as was (running)
      cross join lateral (
        select e.topic, e.created_at
        from postrider.event e
        where e.tx = was.running
        and e.id > last.floor
        and (e.id > era_high or not exists (select from postrider.log l where l.tx = e.tx and l.id = e.id)
          and not exists (
            select from postrider.backlog b
            where b.topic = e.topic and b.tx = e.tx and b.first_id <= e.id and b.last_id >= e.id))
        offset 0) e
      limit most) e
    group by e.topic;
  end if;

  -- Events in the backlog that are promised a position and do not have it yet: of the topics whose turn is next in drain(), and of
  -- all topics with a listener or worker, so that their lag and depth do not depend on the topics of others.
  since := coalesce(last.topics[cardinality(last.topics)], '');
  next := postrider.backlogged(since, most_topics);
  if cardinality(next) < most_topics and since <> '' then
    next := next || postrider.backlogged('', most_topics - cardinality(next));
  end if;
  if cardinality(next) = 0 then
    return;
  end if;
  return query
  select w.topic, w.last - w.head, (
    select e.created_at::timestamptz
    from postrider.backlog b
    join postrider.event e on e.tx = b.tx and e.id = b.first_id
    where b.topic = w.topic and b.from_position <= w.head + 1
    order by b.from_position desc
    limit 1)
  from (
    select t.topic,
      (select b.to_position from postrider.backlog b where b.topic = t.topic order by b.from_position desc limit 1) as last,
      coalesce((
        select h.position from postrider.head h where h.topic = t.topic order by h.position desc limit 1), 0) as head
    from (
      select unnest(next) as topic
      union
      select l.topic from postrider.listener l
      union
      select unnest(postrider.lanes(q.name)) from postrider.queue q
    ) t
    offset 0  -- otherwise each use of head is a separate lookup
  ) w
  where w.last > w.head;
end
$$;
