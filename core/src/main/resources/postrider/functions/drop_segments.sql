-- drop_segments(): drops one emptied segment. Its disk space is already free; this only keeps the number of tables small.
--
-- gives    the name of the segment dropped, or null
-- locks    the parent tables exclusively for a moment: the caller sets a very short lock_timeout and accepts that this fails
--          while a transaction of a producer is open
create or replace function postrider.drop_segments()
returns text
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
as $$
declare
  segment  postrider.segment;
  table_   text;
begin
  if not pg_try_advisory_xact_lock('postrider.segment'::regclass::oid::int4, 1) then
    return null;
  end if;
  select s.* into segment from postrider.segment s where s.emptied_at is not null order by s.emptied_at limit 1;
  if segment.family is null then
    return null;
  end if;
  foreach table_ in array case segment.family
    when 'log' then array['event', 'log'] when 'pass' then array['pass', 'head']
    when 'delivery' then array['delivery'] else array['claim', 'settlement', 'finish'] end
  loop
    execute format('drop table postrider.%I', table_ || '_' || segment.low);
  end loop;
  delete from postrider.segment_topic t where segment.family = 'log' and t.low = segment.low;
  delete from postrider.segment s where s.family = segment.family and s.low = segment.low;
  return segment.family || '_' || segment.low;
end
$$;
