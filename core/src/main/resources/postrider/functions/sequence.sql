-- sequence(most): one pass. Assigns positions to committed events.
--
-- takes    most: how many events one pass may handle; more go into the backlog and get their positions in parts
-- gives    the pass's number, how many events got positions, the topics that moved with their heads, the range of ids,
--          and whether there is more to do at once. No row if there was nothing: then nothing was written and no
--          transaction number was used
-- touches  event (reads), log, head, pass, era, backlog (writes)
-- locks    the table sequencing, to the end of the transaction, so that passes are serial; producers need no lock on it
-- never    in REPEATABLE READ: the snapshot would be older than the lock, and the previous pass would be invisible.
--          Never on a standby: a snapshot there lists no running transactions
--
-- New events are those committed between two snapshots: LAST, stored by the last pass, and NOW.
--   (a) transactions numbered from xmax(LAST) up to xmax(NOW), except those still running in NOW. They are looked up as
--       the gaps between the running ones, so the rows of a huge open transaction are never visited.
--       They got their number after the pass before LAST had its own, and drew ids after their number: id > LAST.low.
--   (b) transactions that were running in LAST and have ended: id > LAST.floor.
-- A transaction that rolled back is in neither: its rows are not visible.
--
-- The order is by the greatest id of the event's transaction, then by id. A transaction that saw another's commit when it
-- emitted drew its id after that event's id, so its greatest id is greater than all of the other's: the order is causal. It also
-- keeps each transaction together.
create or replace function postrider.sequence(
  most         int,
  out n        bigint,
  out events   bigint,
  out topics   text[],
  out heads    bigint[],
  out low_id   bigint,
  out high_id  bigint,
  out more     boolean)
returns setof record
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
as $$
#variable_conflict use_variable
declare
  last       postrider.pass;
  now        pg_snapshot;
  high       bigint;
  newest     bigint;
  low        bigint;
  floor      bigint;
  era        int;
  era_high   bigint;
  change     text;
  low_gaps   xid8[];
  high_gaps  xid8[];
  late       xid8[];
  fresh      record;
  behind     text[];
  lasts      bigint[];
  promised   bigint := 0;
  piece      record;
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'sequence needs isolation read committed, was %', current_setting('transaction_isolation')
      using errcode = 'PR001';
  end if;
  if pg_current_xact_id_if_assigned() is not null then
    raise exception 'sequence must be the first to write in its transaction' using errcode = 'PR003';
  end if;
  if current_setting('synchronous_commit') in ('off', 'local', 'remote_write') then
    perform set_config('synchronous_commit', 'on', true);  -- no position before it and its event are durable
  end if;

  -- The lock is one statement and the snapshot a later one: a snapshot taken together with the lock may be older than
  -- the pass that held the lock before (seen on PostgreSQL 15).
  -- In this mode no role without rights can block it: "prepare p as delete from sequencing" and a refused nextval() both
  -- leave any session with a ROW EXCLUSIVE lock, for which an EXCLUSIVE lock would wait.
  lock table postrider.sequencing in share update exclusive mode;
  select p.* into last from postrider.pass p order by p.n desc limit 1;
  -- Not "select last_value from event_ids": that reads the row while nextval() changes it in place, and nextval() shows a
  -- value 32 further on for the moment in which it writes its log record. A high that is too high loses events.
  select coalesce(pg_sequence_last_value('postrider.event_ids'), 0) into high;
  select pg_current_snapshot() into now;
  select s.last_value into newest from postrider.event_ids s;  -- too high is harmless here; and it fails without the right
  change := postrider.era_change(last.snapshot);
  if change is null and last.n is null then
    change := 'pass was emptied';
  elsif change is null and high < last.high then
    change := 'ids went back';  -- the sequence was set back: new ids lie below the range that passes read
  end if;
  n := coalesce(last.n, 0) + 1;
  if change = 'pass was emptied' then
    n := (select coalesce(max(h.n), 0) + 10000 from postrider.head h);  -- nodes wait for a number above the last one they saw
  end if;
  events := 0;
  topics := '{}';
  heads := '{}';

  if change is not null then
    if exists (
      select from postrider.backlog b
      where b.to_position > coalesce((
        select h.position from postrider.head h where h.topic = b.topic order by h.position desc limit 1), 0)) then
      -- the backlog of the old era is identified by transaction and id, and gets its positions before anything else
      -- Without a last pass there is no era to write a pass for: that waits until the backlog is empty.
      now := last.snapshot;
      high := last.high;
      low := last.low;
      floor := last.floor;
      era := last.era;
    else
      select o.promised, o.now into promised, now from postrider.open_era(change, greatest(high, last.high)) o;
      low := 0;
      floor := 0;
      select max(e.era) into era from postrider.era e;
    end if;
  else
    era := last.era;
    low := last.high;
    select e.high into era_high from postrider.era e where e.era = era;
    select array_prepend(pg_snapshot_xmax(last.snapshot), array_agg(((x::text)::bigint + 1)::text::xid8 order by x)),
      array_append(array_agg(x order by x), pg_snapshot_xmax(now))
    into low_gaps, high_gaps
    from pg_snapshot_xip(now) x
    where x >= pg_snapshot_xmax(last.snapshot);
    select array_agg(x), case when exists (select from pg_snapshot_xip(now) r where r < pg_snapshot_xmax(last.snapshot))
      then last.floor else last.low end
    into late, floor
    from pg_snapshot_xip(last.snapshot) x
    where pg_visible_in_snapshot(x, now);

    fresh := postrider.find(low_gaps, high_gaps, late, last.low, last.floor, newest, era_high, most);

    if cardinality(fresh.ids) > most then
      fresh := postrider.promise(low_gaps, high_gaps, late, last.low, last.floor, newest, era_high, null, most);
      promised := fresh.promised;
      lasts := fresh.lasts;
    elsif fresh.ids is not null and exists (select from postrider.backlog) then
      -- the events of a topic with a backlog are added behind it; other topics do not wait
      select array_agg(t.topic) into behind
      from (select distinct t.topic from unnest(fresh.topics) t (topic)) t
      where (select b.to_position from postrider.backlog b where b.topic = t.topic order by b.from_position desc limit 1)
        > coalesce((select h.position from postrider.head h where h.topic = t.topic order by h.position desc limit 1), 0);
      if behind is not null then
        select p.promised into promised
        from postrider.promise(low_gaps, high_gaps, late, last.low, last.floor, newest, era_high, behind, most) p;
        select array_agg(f.topic) as topics, array_agg(f.tx) as txs, array_agg(f.id) as ids, array_agg(f.last) as lasts
        into fresh
        from (
          select f.*, max(f.id) over (partition by f.tx) as last
          from unnest(fresh.topics, fresh.txs, fresh.ids) f (topic, tx, id)
        ) f
        where f.topic not in (select unnest(behind));
        lasts := fresh.lasts;
      end if;
    end if;
    if fresh.ids is not null then
      select p.topics, p.heads into topics, heads from postrider.place(n, fresh.topics, fresh.txs, fresh.ids, lasts) p;
      events := cardinality(fresh.ids);
      select min(i), max(i) into low_id, high_id from unnest(fresh.ids) i;
    end if;
  end if;

  more := false;
  if exists (select from postrider.backlog) then
    piece := postrider.drain(n, most, last.topics);
    topics := topics || piece.topics;
    heads := heads || piece.heads;
    events := events + piece.events;
    low_id := least(low_id, piece.low_id);
    high_id := greatest(high_id, piece.high_id);
    more := piece.more;
  end if;

  -- Nothing found: nothing written. Unless many transactions have ended meanwhile, and the next pass would start far back; or
  -- activity ended a second ago, and the floor, which lets retention close a segment, can still rise to where activity
  -- stopped. That takes three passes; then nothing is written.
  if events = 0 and promised = 0 and change is null
     and (pg_snapshot_xmax(now)::text)::bigint - (pg_snapshot_xmax(last.snapshot)::text)::bigint < 10000
     and not (floor > last.floor and last.at < clock_timestamp() - interval '1 second') then
    return;
  end if;
  if era is null then
    more := true;
    return next;
    return;
  end if;
  insert into postrider.pass (n, era, snapshot, floor, low, high, events, topics, heads, low_id, high_id)
  values (n, era, now, floor, low, high, events, topics, heads, coalesce(low_id, 0), coalesce(high_id, 0));
  if events > 0 and pg_notification_queue_usage() < 0.5 then  -- a full queue, which any role can fill, makes NOTIFY fail
    perform pg_notify('postrider', 'log');
  end if;
  more := more or change is not null;
  return next;
end
$$;
