-- adopt_statements(spec): every statement that the steps of an adoption run on the old table, with the lock it takes there
create or replace function postrider.adopt_statements(spec jsonb)
returns table (step text, statement text, lock text)
language plpgsql stable
set search_path = pg_catalog, pg_temp
set jit = off
as $$
declare
  source      text := spec ->> 'source';
  no_writers  text := 'SHARE ROW EXCLUSIVE: waits for open writers, 300 ms for each of ten attempts, then up to 2 s; reads go on';
begin
  return query values
    ('bridge', format('lock table %s in share row exclusive mode', source), no_writers),
    ('bridge', postrider.adopt_trigger(spec, 'hold'), 'SHARE ROW EXCLUSIVE, held since the statement before'),
    ('import', format('select t.* %s order by %s limit 1000', postrider.adopt_pending(spec, false), postrider.adopt_order(spec)),
      'ACCESS SHARE: writers and the old consumer go on'),
    ('import', format('lock table %s in share row exclusive mode', source), no_writers || '; once, when all rows are imported'),
    ('import', postrider.adopt_trigger(spec, 'emit'), 'SHARE ROW EXCLUSIVE, held since the statement before'),
    ('mirror', case when spec -> 'fields' ?| array['processed_at', 'processed', 'status']
      then format('update %s t set … where t.%I = … and %s', source, spec #>> '{fields,id}', postrider.adopt_unfinished(spec))
      else format('delete from %s t where t.%I = …', source, spec #>> '{fields,id}') end,
      'ROW EXCLUSIVE, and the rows that it writes'),
    ('finish', format('drop trigger if exists postrider_adopt on %s', source),
      'ACCESS EXCLUSIVE: waits for readers and writers, as bridge does');
end
$$;
