-- open_claims(): the claims of workers that have not been handed over, with their unsettled positions.
--
-- touches  worker, claim, settlement (reads)
create or replace function postrider.open_claims()
returns table (worker bigint, n bigint, topic text, positions int8multirange, at timestamptz)
language plpgsql stable
set search_path = pg_catalog, pg_temp
set jit = off
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
#variable_conflict use_column
begin
  return query
  select o.worker, o.n, o.topic, o.positions, o.at
  from (
    select c.worker, c.n, c.topic, c.at, int8multirange(int8range(c.from_position, c.to_position, '[]')) - coalesce((
      select range_agg(r) from postrider.settlement s, unnest(s.positions) r where s.n = c.n), '{}') as positions
    from postrider.worker w
    join lateral (
      select l.open_n from postrider.claim l where l.worker = w.id order by l.n desc limit 1) l on true
    join postrider.claim c on c.worker = w.id and c.n >= l.open_n
    where w.handed_over_at is null
  ) o
  where not isempty(o.positions);
end
$$;
