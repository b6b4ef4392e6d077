-- make_segments(log_size, ledger_size): creates segments in advance: for each family the current one and the next two.
--
-- Each statement locks every segment, and any producer can draw ids at 5 million a second. So the size doubles with every two
-- segments after the 16th: 45 segments for 20 billion ids, and fewer than 100 at the end of bigint. 10,000 events a second kept for
-- a week are at most 39 segments instead of 1,500.
--
-- ATTACH scans the table beyond under the lock. If that table is larger than 8 MB, one segment of four times the size is created
-- instead of three: one scan now, and the next one after more than two segments' worth of ids.
--
-- gives    how many were created
-- touches  segment (writes), the catalogue
-- locks    the parent tables in SHARE UPDATE EXCLUSIVE, which blocks no insert and no read; and the tables beyond the last
--          segment exclusively, which are empty unless segments were missing, and which only a dump can delay: the caller sets
--          a short lock_timeout and retries
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
  crowd    constant bigint := 8388608;
  made     int := 0;
  family   record;
  table_   text;
  present  bigint;
  used     numeric;
  size     numeric;
  above    numeric;
  far      numeric;
  crowded  boolean;
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
      -- Read before the lock. A row that is added meanwhile has a number up to the one read under the lock.
      above := 0;
      far := last_id;
      foreach table_ in array family.tables loop
        execute format('select greatest($1, (max(b.%1$I) filter (where b.%1$I < $3))::numeric + 1),
          least($2, (min(b.%1$I) filter (where b.%1$I >= $3))::numeric) from postrider.%2$I b', family.number, table_ || '_beyond')
        into above, far using above, far, least(trunc(used + 16 * size), last_id)::bigint;
      end loop;
      select sum(pg_relation_size(format('postrider.%I', t || '_beyond')::regclass)) > crowd into crowded
      from unnest(family.tables) t;
      foreach table_ in array family.tables loop
        execute format('lock table postrider.%I in access exclusive mode', table_ || '_beyond');
      end loop;
      execute family.used into used;
      low := greatest(case when low is null then 0 else greatest(low, trunc(used + size / 4)) end, above);
      high := least(low + trunc(size) * case when crowded then 4 else 1 end, far, last_id);
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
