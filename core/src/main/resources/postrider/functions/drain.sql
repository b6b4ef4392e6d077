-- drain(n, most, before): assigns the next part of the backlog: about most events, of at most 1,000 topics.
--
-- takes    before: the topics of the last pass, with the topics of its part of the backlog at the end
-- gives    the topics that moved, their heads, the range of ids, the number of events, and whether any are left
-- touches  backlog, event (reads), log, head (writes); deletes from backlog the rows of topics that are complete, and
--          truncates it when all topics are
-- locks    backlog exclusively for a moment at the end, and only if no session reads it (a dump may)
-- never    updates a row: the progress of a topic is its head, and the last assigned id is in log at that position
-- never    more than 1,000 topics: 100,000 new topics in one transaction made a pass of 30 s, and 700,000 made one that took
--          longer than the client waits, so that it was repeated forever
--
-- Topics take turns. Half of the places are for topics that were in the last part and have more events, so that a very large
-- topic makes progress while others come and go. The other places go through all names in order, starting after the last topic
-- of the previous pass. If a topic needs less than its share, the other topics get the rest.
create or replace function postrider.drain(
  n            bigint,
  most         int,
  before       text[],
  out topics   text[],
  out heads    bigint[],
  out low_id   bigint,
  out high_id  bigint,
  out events   bigint,
  out more     boolean)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $$
#variable_conflict use_variable
declare
  places  int := least(most, 1000);
  since   text := coalesce(before[cardinality(before)], '');
  turns   text[];
  next    text[];
  piece   record;
  emptied boolean := false;
begin
  topics := '{}';
  heads := '{}';
  events := 0;
  turns := array(
    select b.topic
    from unnest(before) with ordinality b (topic, k)
    where (select w.to_position from postrider.backlog w where w.topic = b.topic order by w.from_position desc limit 1)
      > coalesce((select h.position from postrider.head h where h.topic = b.topic order by h.position desc limit 1), 0)
    order by b.k
    limit places / 2);
  next := postrider.backlogged(since, places - cardinality(turns));
  if cardinality(turns) + cardinality(next) < places and since <> '' then
    next := next || postrider.backlogged('', places - cardinality(turns) - cardinality(next));
  end if;

  -- from: where the first group of this part begins; reached: its last assigned id
  select array_agg(s.topic order by s.k) as topics, array_agg(s.head order by s.k) as heads,
    array_agg(s.upto order by s.k) as upto, array_agg(s.tail order by s.k) as tails,
    array_agg(s.from_position order by s.k) as froms, array_agg(s.reached order by s.k) as reached
  into piece
  from (
    select s.topic, s.k, s.head, s.tail, s.from_position,
      s.head + least(s.tail - s.head, s.share + (most - sum(least(s.tail - s.head, s.share)) over ())::bigint
        / greatest(count(*) filter (where s.tail - s.head > s.share) over (), 1)) as upto,
      case when s.from_position <= s.head then (
        select l.id from postrider.log l where l.topic = s.topic and l.position = s.head) end as reached
    from (
      select s.*, g.from_position, most / count(*) over () as share
      from (
        select t.topic, t.k,
          coalesce((select h.position from postrider.head h where h.topic = t.topic order by h.position desc limit 1), 0)
            as head,
          (select b.to_position from postrider.backlog b where b.topic = t.topic order by b.from_position desc limit 1) as tail
        from (
          select t.topic, max(t.k) as k
          from unnest(turns || next) with ordinality t (topic, k)
          group by t.topic
        ) t
        offset 0  -- otherwise each use of head is a separate lookup
      ) s
      cross join lateral (
        select b.from_position, b.to_position
        from postrider.backlog b
        where b.topic = s.topic and b.from_position <= s.head + 1
        order by b.from_position desc
        limit 1
      ) g
      where g.to_position > s.head
    ) s
  ) s;

  if piece.topics is not null then
    -- Transactions follow each other without a gap and are ordered by id inside, so the part is numbered as a whole.
    with given as (
      insert into postrider.log (topic, position, tx, id)
      select s.topic, s.head + row_number() over (partition by s.topic order by s.from_position, s.id), s.tx, s.id
      from (
        select s.topic, s.head, b.from_position, b.tx, e.id
        from unnest(piece.topics, piece.heads, piece.upto, piece.froms, piece.reached)
          as s (topic, head, upto, from_position, reached)
        cross join lateral (
          select b.*
          from postrider.backlog b
          where b.topic = s.topic and b.from_position >= s.from_position and b.from_position <= s.upto
          offset 0) b
        cross join lateral (
          select e.id
          from postrider.event e
          where e.tx = b.tx
          and e.id > case when b.from_position <= s.head then s.reached else b.first_id - 1 end
          and e.id <= b.last_id
          and e.topic = b.topic
          order by e.id
          limit least(b.to_position, s.upto) - greatest(b.from_position - 1, s.head)) e
      ) s
      order by 1, 2
      returning log.id
    )
    select count(*), min(g.id), max(g.id) into events, low_id, high_id from given g;
    if events <> (select sum(s.upto - s.head) from unnest(piece.upto, piece.heads) s (upto, head)) then
      raise exception 'topic % lost events after they were promised positions', (
          select s.topic from unnest(piece.topics, piece.upto) s (topic, upto)
          where not exists (select from postrider.log l where l.topic = s.topic and l.position = s.upto) limit 1)
        using errcode = 'PR002';
    end if;
    insert into postrider.head (topic, position, n)
    select s.topic, s.upto, n from unnest(piece.topics, piece.upto) s (topic, upto);
    topics := piece.topics;
    heads := piece.upto;
    since := topics[cardinality(topics)];
  end if;

  more := exists (select from unnest(piece.upto, piece.tails) s (upto, tail) where s.upto < s.tail)
    or cardinality(postrider.backlogged(since, 1)) > 0 or cardinality(postrider.backlogged('', 1)) > 0;
  if not more then
    begin
      lock table postrider.backlog in access exclusive mode nowait;
      truncate postrider.backlog;
      emptied := true;
    exception when lock_not_available then
      null;  -- a dump is reading it: the heads show which rows are done, and a later call empties it
    end;
  end if;
  if not emptied then
    -- Only of small topics: there may be a million, and later passes would visit them all. A topic of many transactions is
    -- skipped with two lookups.
    delete from postrider.backlog b
    using unnest(piece.topics, piece.upto, piece.tails) s (topic, upto, tail)
    where b.topic = s.topic and s.upto = s.tail
    and (select count(*) from (select from postrider.backlog o where o.topic = s.topic limit 101) o) <= 100;
  end if;
end
$$;
