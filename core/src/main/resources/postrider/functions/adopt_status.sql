-- adopt_status(source): both sides of an adoption in numbers, with up to five ids of the rows that differ. Reads the whole old table
-- and, for a topic, all its events.
--
-- gives    of the old table: rows_total, rows_unfinished, rows_not_adopted (unfinished rows that Postrider does not have); of ours:
--          bridged, imported, skipped, held, rejected; differences: done_only_there (finished by the old system, not here),
--          done_only_here (finished here, not marked in the old table)
create or replace function postrider.adopt_status(
  of_source                   text,
  out rows_total              bigint,
  out rows_unfinished         bigint,
  out rows_not_adopted        bigint,
  out bridged                 bigint,
  out imported                bigint,
  out skipped                 bigint,
  out held                    bigint,
  out rejected                bigint,
  out done_only_there         bigint,
  out done_only_here          bigint,
  out not_adopted_examples    text[],
  out rejected_examples       text[],
  out only_there_examples     text[],
  out only_here_examples      text[])
language plpgsql stable
set search_path = pg_catalog, pg_temp
set jit = off
as $$
#variable_conflict use_column
declare
  a        postrider.adoption;
  done_to  bigint;
  ours     text;
begin
  select d.* into a from postrider.adoption d where d.source = of_source;
  select count(*) filter (where d.how = 'bridge'), count(*) filter (where d.how = 'import'), count(*) filter (where d.how = 'skip')
  into bridged, imported, skipped
  from postrider.adopted d where d.source = of_source;
  select count(*) into held from postrider.adoption_held h where h.source = of_source;
  select count(*), (array_agg(r.adopted_id || ': ' || r.problem order by r.at))[1:5] into rejected, rejected_examples
  from postrider.adoption_reject r where r.source = of_source;
  if to_regclass(of_source) is null then
    return;
  end if;
  execute format('select count(*), count(*) filter (where %s) from %s t', postrider.adopt_unfinished(a.spec), of_source)
  into rows_total, rows_unfinished;
  execute format('select count(*), (array_agg(t.%I::text))[1:5] %s', a.spec #>> '{fields,id}', postrider.adopt_pending(a.spec, true))
  into rows_not_adopted, not_adopted_examples;
  if a.spec ->> 'kind' = 'jobs' then
    ours := 'select d.adopted_id as id, coalesce(j.state in (''DONE'', ''CANCELLED'', ''FAILED''), false) as done
      from postrider.adopted d left join postrider.jobs j on j.id = d.event_id where d.source = $2 and d.how <> ''skip''';
  else
    done_to := coalesce(postrider.adopt_done_to(a.topic, a.mirror_listener), 0);
    ours := 'select e.headers ->> ''adopted_id'' as id, l.position <= $3 as done
      from postrider.log l join postrider.event e on e.tx = l.tx and e.id = l.id
      where l.topic = $1 and e.topic = $1 and e.headers ->> ''adopted_from'' = $2';
  end if;
  execute format(
    'select count(*) filter (where r.there and not r.here), count(*) filter (where r.here and not r.there),
       (array_agg(r.id order by r.id) filter (where r.there and not r.here))[1:5],
       (array_agg(r.id order by r.id) filter (where r.here and not r.there))[1:5]
     from (
       select o.id, o.done as here, t.%1$I is null or not (%2$s) as there
       from (%3$s) o left join %4$s t on t.%1$I = o.id::%5$s) r',
    a.spec #>> '{fields,id}', postrider.adopt_unfinished(a.spec), ours, of_source, a.spec ->> 'id_sql')
  into done_only_there, done_only_here, only_there_examples, only_here_examples
  using a.topic, of_source, done_to;
end
$$;
