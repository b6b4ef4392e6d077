-- make_segments(log_size, ledger_size): makes segments ahead, so that each family has the one in use and two to come.
--
-- gives    how many were made
-- touches  segment (writes), the catalogue
-- locks    the parent tables in SHARE UPDATE EXCLUSIVE, which stops no insert and no read; and the empty tables beyond
--          the last segment exclusively, which only a dump can delay: the caller sets a short lock_timeout and tries again
-- never    fails a producer: while this cannot be done rows go to the table beyond, and the next segment begins after them
create or replace function postrider.make_segments(log_size bigint, ledger_size bigint)
returns int
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
as $$
declare
  made     int := 0;
  family   record;
  table_   text;
  low      bigint;
  high     bigint;
begin
  if not pg_try_advisory_xact_lock('postrider.segment'::regclass::oid::int4, 1) then
    return 0;  -- another node is at it
  end if;
  for family in
    select 'log' as name, array['event', 'log'] as tables, log_size as size,
      (select s.last_value from postrider.event_ids s) as used
    union all
    select 'pass', array['pass', 'head'], ledger_size, coalesce((select max(p.n) from postrider.pass p), 0)
    union all
    select 'delivery', array['delivery'], ledger_size, (select s.last_value from postrider.delivery_numbers s)
    union all
    select 'claim', array['claim', 'settlement', 'finish'], ledger_size, (select s.last_value from postrider.claim_numbers s)
  loop
    loop
      select max(s.high) into low from postrider.segment s where s.family = family.name;
      exit when low > family.used + 2 * family.size;
      -- after rows that had to go beyond the last segment
      low := coalesce(low, 0);
      if family.name = 'log' then
        low := greatest(low, coalesce((select max(e.id) + 1 from postrider.event_beyond e), 0));
      elsif family.name = 'pass' then
        low := greatest(low, coalesce((select max(p.n) + 1 from postrider.pass_beyond p), 0));
      elsif family.name = 'delivery' then
        low := greatest(low, coalesce((select max(d.n) + 1 from postrider.delivery_beyond d), 0));
      else
        low := greatest(low, coalesce((
          select max(b.n) + 1 from (
            select c.n from postrider.claim_beyond c
            union all select s.n from postrider.settlement_beyond s
            union all select f.n from postrider.finish_beyond f) b), 0));
      end if;
      high := low + family.size;
      foreach table_ in array family.tables loop
        execute format('create table postrider.%I (like postrider.%I including all)', table_ || '_' || low, table_);
        execute format('alter table postrider.%I attach partition postrider.%I for values from (%s) to (%s)',
          table_, table_ || '_' || low, low, high);
      end loop;
      insert into postrider.segment (family, low, high) values (family.name, low, high);
      made := made + 1;
    end loop;
  end loop;
  return made;
end
$$;
