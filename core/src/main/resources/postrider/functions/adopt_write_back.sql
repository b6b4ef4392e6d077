-- adopt_write_back(spec, id, failed, error, attempts): writes the outcome of an event or a job to its row of an adopted table, unless
-- the old system has finished that row. A table without a status or a time has its finished rows deleted, as its publisher did
--
-- gives    whether a row was changed
create or replace function postrider.adopt_write_back(spec jsonb, of_id text, failed boolean, error text, attempts int)
returns boolean
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
as $$
declare
  fields   jsonb := spec -> 'fields';
  types    jsonb := spec -> 'types';
  changes  text;
  changed  int;
begin
  changes := concat_ws(', ',
    case when fields ? 'processed_at' then
      format('%1$I = case when $2 then %1$I else coalesce(%1$I, clock_timestamp()::%2$s) end', fields ->> 'processed_at',
        case when spec -> 'local_times' ? (fields ->> 'processed_at') then 'timestamptz at time zone ''UTC''' else 'timestamptz' end) end,
    case when fields ? 'processed' then format('%I = not $2', fields ->> 'processed') end,
    case when fields ? 'status' then
      format('%I = (case when $2 then %L else %L end)::%s', fields ->> 'status', spec ->> 'status_failed', spec ->> 'status_done',
        types ->> 'status') end,
    case when fields ? 'attempts' then format('%1$I = greatest(%1$I, $4)', fields ->> 'attempts') end,
    case when fields ? 'last_error' then
      format('%1$I = case when $2 then $3::%2$s else %1$I end', fields ->> 'last_error', types ->> 'last_error') end);
  if not fields ?| array['processed_at', 'processed', 'status'] then
    if failed then
      return false;
    end if;
    execute format('delete from %s t where t.%I = $1::%s', spec ->> 'source', fields ->> 'id', spec ->> 'id_sql') using of_id;
  else
    execute format('update %s t set %s where t.%I = $1::%s and %s', spec ->> 'source', changes, fields ->> 'id', spec ->> 'id_sql',
      postrider.adopt_unfinished(spec)) using of_id, failed, error, attempts;
  end if;
  get diagnostics changed = row_count;
  return changed > 0;
end
$$;
