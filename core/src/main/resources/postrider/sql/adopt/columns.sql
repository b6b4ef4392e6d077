-- the columns of a table: type without and with its modifier, the labels of an enum, whether it is unique by itself, and whether
-- its type has a cast to json that somebody has defined
select a.attname::text as name, format_type(coalesce(nullif(t.typbasetype, 0), t.oid), null) as base,
  format_type(a.atttypid, a.atttypmod) as type,
  array(select e.enumlabel::text from pg_enum e where e.enumtypid = t.oid order by e.enumsortorder) as labels,
  pg_get_expr(d.adbin, d.adrelid) as by_default,
  exists (
    select from pg_index i
    where i.indrelid = a.attrelid and i.indisunique and i.indisvalid and i.indnkeyatts = 1 and i.indkey[0] = a.attnum
    and i.indpred is null) as is_unique,
  exists (
    select from pg_cast k
    where k.castsource = t.oid and k.casttarget in ('json'::regtype, 'jsonb'::regtype) and k.castfunc >= 16384) as has_json_cast
from pg_attribute a
join pg_type t on t.oid = a.atttypid
left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
where a.attrelid = :source::regclass and a.attnum > 0 and not a.attisdropped
order by a.attnum
