-- shorten_claims(keep): empties the segments of claim, settlement and finish that are older than keep, have no open claim, and
-- are not among the latest two. First it records for each lane how far it is claimed, and closes the segment: at most 300 lanes
-- in one call, because each takes an entry of the server's lock table until the transaction ends, and the next call continues.
-- Until a segment is emptied, it is the history of the jobs of its time.
--
-- gives    the names of the segments emptied
-- touches  claim, segment (writes), settlement, worker (reads)
-- locks    lanes, while it records their state; the emptied tables exclusively. The caller sets lock_timeout
create or replace function postrider.shorten_claims(keep interval)
returns setof text
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  most_lanes  constant int := 300;
  lanes       int := 0;
  segment     postrider.segment;
  lane        text;
begin
  if not pg_try_advisory_xact_lock('postrider.segment'::regclass::oid::int4, 1) then
    return;
  end if;
  for segment in
    select s.* from postrider.segment s
    where s.family = 'claim' and s.emptied_at is null and s.opened_at is not null
    and (s.closed_at is null or s.closed_at <= clock_timestamp() - keep)
    and (select count(*) from postrider.segment f
         where f.family = 'claim' and f.low > s.low and f.opened_at is not null) >= 2
    order by s.low
  loop
    if segment.closed_at is not null then
      execute format('truncate postrider.%I, postrider.%I, postrider.%I',
        'claim_' || segment.low, 'settlement_' || segment.low, 'finish_' || segment.low);
      update postrider.segment s set emptied_at = clock_timestamp() where s.family = 'claim' and s.low = segment.low;
      return next 'claim_' || segment.low;
      continue;
    end if;
    if exists (select from postrider.open_claims() o where o.n < segment.high) then
      exit;
    end if;
    -- A lane with a later claim keeps it, so only the others need a lock.
    for lane in
      with recursive t as (
        (select c.topic from postrider.claim c order by c.topic limit 1)
        union all
        select (select c.topic from postrider.claim c where c.topic > t.topic order by c.topic limit 1)
        from t where t.topic is not null
      )
      select t.topic from t
      where t.topic is not null
      and segment.high > (
        select c.n from postrider.claim c where c.topic = t.topic order by c.from_position desc, c.n desc limit 1)
      limit most_lanes + 1
    loop
      if lanes = most_lanes then
        return;
      end if;
      lanes := lanes + 1;
      perform pg_advisory_xact_lock('postrider.claim'::regclass::oid::int4, hashtext(lane));
      insert into postrider.claim (topic, from_position, to_position, jobs, worker, open_n)
      select c.topic, c.to_position + 1, c.to_position, 0, 0, 0
      from (
        select c.* from postrider.claim c where c.topic = lane order by c.from_position desc, c.n desc limit 1) c
      where c.n < segment.high;
    end loop;
    update postrider.segment s set closed_at = clock_timestamp() where s.family = 'claim' and s.low = segment.low;
  end loop;
end
$$;
