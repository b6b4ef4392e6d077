-- drop_segments(): drops one emptied segment. Its disk space is already free; this only keeps the number of tables small.
--
-- A view, even a temporary one of a role that may not read the table, makes DROP TABLE fail. Such a segment is detached instead, so
-- that no statement on the log locks it and it does not count as a segment. Its tables get a comment, by which they are found and
-- dropped when nothing depends on them any more; doctor names what does.
--
-- gives    the name of the segment or detached table dropped, or null
-- locks    the parent tables exclusively for a moment: the caller sets a very short lock_timeout and accepts that this fails
--          while a transaction of a producer is open. A segment that another session has locked is skipped
create or replace function postrider.drop_segments()
returns text
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
as $$
declare
  segment  postrider.segment;
  tables   text[];
  table_   text;
begin
  if not pg_try_advisory_xact_lock('postrider.segment'::regclass::oid::int4, 1) then
    return null;
  end if;
  for table_ in
    select c.relname from pg_class c
    where c.relnamespace = 'postrider'::regnamespace and c.relkind = 'r' and not c.relispartition
    and c.relname ~ '_[0-9]+$'
    and obj_description(c.oid, 'pg_class') = 'detached by retention'
    order by c.oid
  loop
    begin
      execute format('lock table postrider.%I in access exclusive mode nowait', table_);
      execute format('drop table postrider.%I', table_);
      return table_;
    exception when dependent_objects_still_exist or lock_not_available then
      null;
    end;
  end loop;
  for segment in
    select s.* from postrider.segment s where s.emptied_at is not null order by s.emptied_at
  loop
    tables := case segment.family
      when 'log' then array['event', 'log'] when 'pass' then array['pass', 'head']
      when 'delivery' then array['delivery'] else array['claim', 'settlement', 'finish'] end;
    foreach table_ in array tables loop
      execute format('lock table only postrider.%I in access exclusive mode', table_);
      execute format('lock table postrider.%I in access exclusive mode', table_ || '_beyond');
    end loop;
    begin
      foreach table_ in array tables loop
        execute format('lock table postrider.%I in access exclusive mode nowait', table_ || '_' || segment.low);
        begin
          execute format('drop table postrider.%I', table_ || '_' || segment.low);
        exception when dependent_objects_still_exist then
          execute format('truncate postrider.%I', table_ || '_' || segment.low);
          execute format('alter table postrider.%I detach partition postrider.%I', table_, table_ || '_' || segment.low);
          execute format('comment on table postrider.%I is %L', table_ || '_' || segment.low, 'detached by retention');
        end;
      end loop;
    exception when lock_not_available then
      continue;
    end;
    delete from postrider.segment_topic t where segment.family = 'log' and t.low = segment.low;
    delete from postrider.segment s where s.family = segment.family and s.low = segment.low;
    return segment.family || '_' || segment.low;
  end loop;
  return null;
end
$$;
