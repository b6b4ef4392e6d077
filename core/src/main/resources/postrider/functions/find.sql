-- find(…, most): up to most + 1 of the fresh events, as arrays; more than most means that they do not fit into one pass.
--
-- The function sets its own planner settings: for a segment that was never analysed the planner would hash the whole segment,
-- and planning ten segments costs more than reading the one that matters.
create or replace function postrider.find(
  low_gaps   xid8[],
  high_gaps  xid8[],
  late       xid8[],
  low        bigint,
  floor      bigint,
  newest     bigint,
  era_high   bigint,
  most       int,
  out topics text[],
  out txs    xid8[],
  out ids    bigint[])
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $$
begin
  select array_agg(f.topic), array_agg(f.tx), array_agg(f.id)
  into topics, txs, ids
  from (
    select f.topic, f.tx, f.id
    from postrider.fresh(low_gaps, high_gaps, late, low, floor, newest, era_high) f
    limit most + 1
  ) f;
end
$$;
