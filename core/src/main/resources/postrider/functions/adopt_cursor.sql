-- adopt_cursor(source): the last position of the topic before the first event whose row the old system has not finished. A listener
-- that starts there repeats nothing that the old consumer finished in order
create or replace function postrider.adopt_cursor(of_source text)
returns bigint
language plpgsql stable
set search_path = pg_catalog, pg_temp
set jit = off
as $$
declare
  a       postrider.adoption;
  before  bigint;
begin
  select d.* into a from postrider.adoption d where d.source = of_source;
  execute format(
    'select min(l.position) - 1
     from postrider.log l
     join postrider.event e on e.tx = l.tx and e.id = l.id
     join %s t on t.%I = (e.headers ->> ''adopted_id'')::%s
     where l.topic = $1 and e.topic = $1 and e.headers ->> ''adopted_from'' = $2 and %s',
    of_source, a.spec #>> '{fields,id}', a.spec ->> 'id_sql', postrider.adopt_unfinished(a.spec))
  into before using a.topic, of_source;
  return coalesce(before,
    (select h.position from postrider.head h where h.topic = a.topic order by h.position desc limit 1), 0);
end
$$;
