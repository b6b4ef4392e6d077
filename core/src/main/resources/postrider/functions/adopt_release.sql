-- adopt_release(source, most): moves the next rows that the trigger has captured to the log, in order, in the caller's transaction.
-- A job that the old system has finished meanwhile, or whose row it has deleted, is skipped.
--
-- gives    released, and skipped
-- touches  adoption_held, adopted, event (writes), the old table (reads)
-- locks    the adoption
create or replace function postrider.adopt_release(
  of_source     text,
  most          int,
  out released  int,
  out skipped   int)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
as $$
declare
  a     postrider.adoption;
  e     postrider.adoption_held;
  todo  boolean := true;
begin
  select d.* into a from postrider.adoption d where d.source = of_source for no key update;
  released := 0;
  skipped := 0;
  for e in select h.* from postrider.adoption_held h where h.source = of_source order by h.n limit most
  loop
    if a.spec ->> 'kind' = 'jobs' then
      execute format('select exists (select from %s t where t.%I = $1::%s and %s)', of_source, a.spec #>> '{fields,id}',
        a.spec ->> 'id_sql', postrider.adopt_unfinished(a.spec))
      into todo using e.adopted_id;
    end if;
    if todo then
      insert into postrider.event (event_id, created_at, topic, type, key, project_id, user_id, aggregate_type, aggregate_id,
        payload, headers, due_at)
      values (e.event_id, e.created_at, a.topic, e.type, e.key, e.project_id, e.user_id, e.aggregate_type, e.aggregate_id,
        e.payload, e.headers, e.due_at);
      released := released + 1;
    else
      update postrider.adopted d set how = 'skip' where d.source = of_source and d.adopted_id = e.adopted_id;
      skipped := skipped + 1;
    end if;
    delete from postrider.adoption_held h where h.source = of_source and h.n = e.n;
  end loop;
end
$$;
