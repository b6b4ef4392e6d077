-- adopt_unfinished(spec): the condition on a row t of an adopted table that the old system has not finished it
create or replace function postrider.adopt_unfinished(spec jsonb)
returns text
language plpgsql stable
set search_path = pg_catalog, pg_temp
set jit = off
as $$
declare
  processed_at  text := spec #>> '{fields,processed_at}';
  processed     text := spec #>> '{fields,processed}';
  status        text := spec #>> '{fields,status}';
begin
  return concat_ws(' and ', 'true',
    case when processed_at is not null then format('t.%I is null', processed_at) end,
    case when processed is not null then format('t.%I is not true', processed) end,
    case when status is not null then format('coalesce(lower(t.%I::text) <> all (%L::text[]), true)', status,
      array(select jsonb_array_elements_text(spec -> 'finished'))) end);
end
$$;
