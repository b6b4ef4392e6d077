-- hand_over_undone(worker, after, most): checks the next claims of workers that are handed over or unknown, and hands over their
-- unsettled positions. There should be none. Without this, such jobs would stay IN_PROGRESS forever: no worker holds
-- them, and a takeover only checks workers that have not been handed over.
--
-- takes    worker, after: where the last call ended, 0 and 0 at first. most: number of claims
-- gives    where to continue, and the number of jobs handed over; no row at the end. A claim that cannot be handed over is
--          skipped
-- touches  claim, worker (reads), settlement, delayed, progress (writes), log, event (reads)
-- locks    the workers: of two concurrent calls only one hands a job over
create or replace function postrider.hand_over_undone(
  of_worker  bigint,
  after      bigint,
  most       int,
  out worker bigint,
  out n      bigint,
  out jobs   bigint)
returns setof record
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
#variable_conflict use_variable
declare
  one  record;
begin
  worker := of_worker;
  n := after;
  jobs := 0;
  loop
    select c.worker, c.n into one from postrider.claim c
    where (c.worker, c.n) > (hand_over_undone.worker, hand_over_undone.n) and c.worker > 0 order by c.worker, c.n limit 1;
    if not found then
      return;
    end if;
    exit when not exists (select from postrider.worker w where w.id = one.worker and w.handed_over_at is null);
    worker := one.worker;
    n := 9223372036854775807;
  end loop;
  worker := one.worker;
  n := one.n - 1;
  perform pg_advisory_xact_lock('postrider.settlement'::regclass::oid::int4, (worker % 2147483647::bigint)::int4);
  for one in
    select c.n, c.topic, int8multirange(int8range(c.from_position, c.to_position, '[]')) - coalesce((
      select range_agg(r) from postrider.settlement s, unnest(s.positions) r where s.n = c.n), '{}') as positions
    from postrider.claim c
    where c.worker = hand_over_undone.worker and c.n > hand_over_undone.n
    order by c.n
    limit most
  loop
    n := one.n;
    if not isempty(one.positions) then
      jobs := jobs + postrider.try_hand_over(one.n, one.topic, one.positions, 'returned', 0, 0, null);
    end if;
  end loop;
  return next;
end
$$;
