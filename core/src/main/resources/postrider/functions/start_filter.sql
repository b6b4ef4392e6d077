-- start_filter(listener, stood, start): records that a listener starts after a position: at first, or by a reset. Positions that it
-- skips are not wanted; from the start on, the types and projects that it is registered with are.
--
-- takes    stood: its cursor before, 0 if it is new. start: its cursor now
-- touches  listener (reads), listener_filter (writes)
create or replace function postrider.start_filter(of_listener text, stood bigint, start bigint)
returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
as $$
begin
  delete from postrider.listener_filter f where f.listener = of_listener and f.from_position > least(stood, start);
  if start > stood then
    insert into postrider.listener_filter (listener, from_position, skipped) values (of_listener, stood + 1, true);
  end if;
  insert into postrider.listener_filter (listener, from_position, types, projects)
  select l.name, start + 1, l.types, l.projects from postrider.listener l where l.name = of_listener
  on conflict (listener, from_position) do update
  set skipped = false, types = excluded.types, projects = excluded.projects;
end
$$;
