-- records the types and projects that a listener wants from its cursor on, if they have changed. touches: listener_filter
insert into postrider.listener_filter (listener, from_position, types, projects)
select l.name, coalesce(c.to_position, 0) + 1, l.types, l.projects
from postrider.listener l
left join lateral (
  select d.to_position from postrider.delivery d where d.listener = l.name
  order by d.n desc limit 1) c on true
left join lateral (
  select f.types, f.projects, true as there from postrider.listener_filter f where f.listener = l.name
  order by f.from_position desc limit 1) f on true
where l.name = :listener and (f.there is null or (f.types, f.projects) is distinct from (l.types, l.projects))
on conflict (listener, from_position) do update
set skipped = false, types = excluded.types, projects = excluded.projects
