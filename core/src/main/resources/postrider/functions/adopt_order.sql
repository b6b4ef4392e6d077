-- adopt_order(spec): the order in which the rows t of an adopted table are imported: the given column; ids that are numbers; the
-- time of creation; or else the order of the transactions and statements that wrote them
create or replace function postrider.adopt_order(spec jsonb)
returns text
language plpgsql stable
set search_path = pg_catalog, pg_temp
set jit = off
as $$
begin
  return case
    when spec ->> 'order' is not null then format('t.%I, t.ctid', spec ->> 'order')
    when spec ->> 'id_type' = 'number' then format('t.%I', spec #>> '{fields,id}')
    when spec #>> '{fields,created_at}' is not null then format('t.%I, t.ctid', spec #>> '{fields,created_at}')
    else 'age(t.xmin) desc, t.cmin::text::int8, t.ctid' end;
end
$$;
