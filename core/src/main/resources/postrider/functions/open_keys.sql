-- open_keys(queue): the keys of a queue's jobs that are claimed by range and not settled, each as often as there are
-- such jobs.
--
-- touches  claim, settlement, worker, log, event (reads)
create or replace function postrider.open_keys(of_queue text)
returns setof text
language plpgsql stable
set search_path = pg_catalog, pg_temp
set jit = off
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
begin
  return query
  select e.key::text
  from postrider.open_claims() o
  cross join unnest(o.positions) r
  cross join generate_series(lower(r), upper(r) - 1) p
  cross join lateral (  -- "offset 0": as in put_aside()
    select l.tx, l.id from postrider.log l where l.topic = o.topic and l.position = p offset 0) l
  join postrider.event e on e.tx = l.tx and e.id = l.id
  where o.topic = any (postrider.lanes(of_queue)) and e.key is not null;
end
$$;
