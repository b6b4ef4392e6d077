-- adopt_mirror_events(source, most): writes back to the old table what the listeners have finished since the last call, for at most
-- this many positions, in the caller's transaction: the rows and the mirror's place commit together.
--
-- gives    written: rows that were changed; mirrored_to: the mirror's place; more: whether there is more to do
-- touches  adoption, the old table (writes), log, event, delivery, setback, dead_letter (reads)
-- locks    the adoption, and each row of the old table that it writes
create or replace function postrider.adopt_mirror_events(
  of_source        text,
  most             int,
  out written      int,
  out mirrored_to  bigint,
  out more         boolean)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
as $$
#variable_conflict use_column
declare
  a     postrider.adoption;
  e     record;
  upto  bigint;
begin
  select d.* into a from postrider.adoption d where d.source = of_source for no key update;
  written := 0;
  upto := coalesce(postrider.adopt_done_to(a.topic, a.mirror_listener), 0);
  adopt_mirror_events.mirrored_to := greatest(least(upto, a.mirrored_to + most), a.mirrored_to);
  for e in
    select e.headers ->> 'adopted_id' as id, x.error, x.attempts
    from postrider.log l
    join postrider.event e on e.tx = l.tx and e.id = l.id
    left join lateral (
      select x.error, x.attempts
      from postrider.dead_letter x
      join postrider.listener i on i.name = x.listener
      where x.topic = a.topic and x.position = l.position
      and (i.name = a.mirror_listener or a.mirror_listener is null and left(i.name, 10) <> 'event_log:')
      order by x.id
      limit 1) x on true
    where l.topic = a.topic and l.position > a.mirrored_to and l.position <= adopt_mirror_events.mirrored_to
    and e.topic = a.topic and e.headers ->> 'adopted_from' = of_source
    order by l.position
  loop
    if postrider.adopt_write_back(a.spec, e.id, e.error is not null, e.error, e.attempts) then
      written := written + 1;
    end if;
  end loop;
  update postrider.adoption d set mirrored_to = adopt_mirror_events.mirrored_to where d.source = of_source;
  more := adopt_mirror_events.mirrored_to < upto;
end
$$;
