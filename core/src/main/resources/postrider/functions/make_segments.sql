-- make_segments(log_size, ledger_size): creates segments in advance: for each family the current one and the next two.
--
-- Each statement locks every segment, and any producer can draw ids at 5 million a second. So the size doubles with every two
-- segments after the 16th: 45 segments for 20 billion ids, and fewer than 100 at the end of bigint. 10,000 events a second kept for
-- a week are at most 39 segments instead of 1,500.
--
-- gives    how many were created
-- touches  segment (writes), the catalogue
-- locks    the parent tables in SHARE UPDATE EXCLUSIVE, which blocks no insert and no read; and the empty tables beyond
--          the last segment exclusively, which only a dump can delay: the caller sets a short lock_timeout and retries
-- never    fails a producer: while it cannot run, rows go to the table beyond, and the next segment begins after them.
--          It also begins after ids that are drawn meanwhile: a producer that waits for the table beyond with an id of the new
--          segment would fail. The ids in between stay in the table beyond; its rows are deleted with the segment after them
-- never    begins after a number that is far above those in use, which no sequence drew: an id near the end of bigint stopped it.
--          The segment ends before such a number
create or replace function postrider.make_segments(log_size bigint, ledger_size bigint)
returns int
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
as $$
declare
  last_id  constant numeric := 9223372036854775807;
  made     int := 0;
  family   record;
  table_   text;
  present  bigint;
  used     numeric;
  size     numeric;
  above    numeric;
  low      numeric;
  high     numeric;
begin
  if not pg_try_advisory_xact_lock('postrider.segment'::regclass::oid::int4, 1) then
    return 0;  -- another node is doing this
  end if;
  for family in
    select f.* from (values
      ('log', array['event', 'log'], 'id', log_size, 'select s.last_value from postrider.event_ids s'),
      ('pass', array['pass', 'head'], 'n', ledger_size, 'select coalesce(max(p.n), 0) from postrider.pass p'),
      ('delivery', array['delivery'], 'n', ledger_size, 'select s.last_value from postrider.delivery_numbers s'),
      ('claim', array['claim', 'settlement', 'finish'], 'n', ledger_size, 'select s.last_value from postrider.claim_numbers s')
    ) f (name, tables, number, size, used)
  loop
    loop
      select count(*), max(s.high) into present, low from postrider.segment s where s.family = family.name;
      size := family.size * 2::numeric ^ greatest((present - 16) / 2, 0);
      execute family.used into used;
      exit when low > used + 2 * size or low >= last_id;
      foreach table_ in array family.tables loop
        execute format('lock table postrider.%I in access exclusive mode', table_ || '_beyond');
      end loop;
      execute family.used into used;
      low := case when low is null then 0 else greatest(low, trunc(used + size / 4)) end;
      foreach table_ in array family.tables loop
        execute format('select max(b.%I)::numeric + 1 from postrider.%I b where b.%I < $1', family.number, table_ || '_beyond',
          family.number) into above using least(trunc(used + 16 * size), last_id)::bigint;
        low := greatest(low, above);
      end loop;
      high := least(low + trunc(size), last_id);
      foreach table_ in array family.tables loop
        execute format('select min(b.%I)::numeric from postrider.%I b where b.%I >= $1', family.number, table_ || '_beyond',
          family.number) into above using least(low, last_id)::bigint;
        high := least(high, above);
      end loop;
      exit when high <= low;
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
