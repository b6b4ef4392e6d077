-- let_go_of_jobs(low, impatient): whether no job needs a segment of the log any more.
--
-- takes    low: the segment's. impatient: whether unclaimed jobs are carried over: put aside together with their content.
--          Otherwise they hold the segment, and a queue without workers fills the disk
--          At most 300 lanes and 20,000 jobs in one call, and the next call continues: each lane takes an entry of the server's
--          lock table until the transaction ends, and a producer can invent 30,000 queues with one insert
-- gives    false while a job in the segment is unclaimed, or claimed and not settled
-- touches  segment_topic, open claims (reads); claim, settlement, delayed (writes, if impatient)
-- locks    the lanes that are carried over
create or replace function postrider.let_go_of_jobs(of_low bigint, impatient boolean)
returns boolean
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  most_lanes  constant int := 300;
  lanes       int := 0;
  room        bigint := 20000;
  lane        record;
  last        bigint;
  upto        bigint;
begin
  if exists (
    select from postrider.open_claims() o
    join postrider.segment_topic t on t.low = of_low and t.topic = o.topic and t.last_position >= lower(o.positions)) then
    return false;
  end if;
  -- How far a lane is claimed only grows, so a lane that is claimed far enough needs no lock.
  for lane in
    select t.topic, t.last_position from postrider.segment_topic t
    where t.low = of_low and t.topic like 'queue:%'
    and t.last_position > coalesce((
      select c.to_position from postrider.claim c
      where c.topic = t.topic order by c.from_position desc, c.n desc limit 1), 0)
    order by t.topic
    limit most_lanes + 1
  loop
    if not impatient or lanes = most_lanes or room <= 0 then
      return false;
    end if;
    lanes := lanes + 1;
    perform pg_advisory_xact_lock('postrider.claim'::regclass::oid::int4, hashtext(lane.topic));
    select coalesce((
      select c.to_position from postrider.claim c
      where c.topic = lane.topic order by c.from_position desc, c.n desc limit 1), 0)
    into last;
    continue when last >= lane.last_position;
    upto := case when lane.last_position - last > room then last + room else lane.last_position end;
    room := room - (upto - last);
    perform postrider.put_aside(lane.topic, array_agg(p),
      array_agg('carried over'::text), array_agg(0::bigint), array_agg(0), array_agg(0), array_agg(null::text),
      array_agg(null::text))
    from generate_series(last + 1, upto) p;
    with carried as (
      insert into postrider.claim (topic, from_position, to_position, jobs, worker, open_n)
      values (lane.topic, last + 1, upto, 0, 0, 0)
      returning n
    )
    insert into postrider.settlement (n, positions, topic, fate)
    select c.n, int8multirange(int8range(last + 1, upto, '[]')), lane.topic, 'aside' from carried c;
    if upto < lane.last_position then
      return false;
    end if;
  end loop;
  return true;
end
$$;
