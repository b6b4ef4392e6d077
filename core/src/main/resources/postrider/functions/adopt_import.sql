-- adopt_import(source, most): imports the next rows of an adopted table, in order, in the caller's transaction.
--
-- gives    imported; rejected: rows that cannot become an event; more: whether there may be others
-- touches  adopted, adoption_reject, event, adoption (writes), the old table (reads)
-- locks    the adoption, so that one import runs at a time. Writers of the old table do not touch that row
create or replace function postrider.adopt_import(
  of_source     text,
  most          int,
  out imported  int,
  out rejected  int,
  out more      boolean)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
as $$
declare
  a        postrider.adoption;
  e        record;
  after    text;
  last_id  text;
begin
  select d.* into a from postrider.adoption d where d.source = of_source for no key update;
  imported := 0;
  rejected := 0;
  after := case when a.spec ->> 'id_type' = 'number' and a.spec ->> 'order' is null and a.imported_to is not null
    then format('and t.%I > %L', a.spec #>> '{fields,id}', a.imported_to) end;
  for e in execute format(
    'select p.adopted_id, c.*
     from (
       select p.adopted_id, p.old, row_number() over () as place
       from (
         select t.%1$I::text as adopted_id, postrider.adopt_json(t) as old
         %3$s %4$s
         and not exists (select from postrider.adoption_reject r where r.source = $2 and r.adopted_id = t.%1$I::text)
         order by %2$s
         limit $3
       ) p
     ) p
     cross join lateral postrider.adopt_convert($1, p.adopted_id, p.old) c
     order by p.place',
    a.spec #>> '{fields,id}', postrider.adopt_order(a.spec),
    postrider.adopt_pending(a.spec, a.import_mode = 'unfinished'), after)
  using a.spec, of_source, most
  loop
    last_id := e.adopted_id;
    if e.problem is not null then
      insert into postrider.adoption_reject (source, adopted_id, problem) values (of_source, coalesce(e.adopted_id, ''), e.problem)
      on conflict do nothing;
      rejected := rejected + 1;
      continue;
    end if;
    insert into postrider.adopted (source, adopted_id, event_id, how) values (of_source, e.adopted_id, e.event_id, 'import')
    on conflict do nothing;
    if found then
      insert into postrider.event (event_id, created_at, topic, type, key, project_id, user_id, aggregate_type, aggregate_id,
        payload, headers, due_at)
      values (e.event_id, e.created_at, a.topic, e.type, e.key, e.project_id, e.user_id, e.aggregate_type, e.aggregate_id,
        e.payload, e.headers, e.due_at);
      imported := imported + 1;
    end if;
  end loop;
  -- Beyond the last id there is nothing left. A final look without it finds rows that the old system has reopened since.
  more := last_id is not null or after is not null;
  update postrider.adoption d set imported_to = last_id where d.source = of_source;
end
$$;
