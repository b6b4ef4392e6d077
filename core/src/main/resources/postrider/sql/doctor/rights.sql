-- which rights the role lacks: to emit, to enqueue, and to run a node. Finds tables in the catalogue, because a role without USAGE on
-- the schema may not even name them. A producer may have its right column by column, without tx, id and wake
with wanted (purpose, name, privilege) as (
  values ('emit', 'event_ids', 'usage'),
    ('node', 'event', 'select'), ('node', 'log', 'select'), ('node', 'log', 'insert'),
    ('node', 'head', 'select'), ('node', 'head', 'insert'), ('node', 'pass', 'select'), ('node', 'pass', 'insert'),
    ('node', 'era', 'insert'), ('node', 'backlog', 'insert'), ('node', 'backlog', 'truncate'), ('node', 'backlog', 'delete'),
    ('node', 'listener', 'insert'), ('node', 'listener', 'update'), ('node', 'listener_filter', 'insert'),
    ('node', 'listener_filter', 'update'), ('node', 'listener_filter', 'delete'), ('node', 'delivery', 'insert'),
    ('node', 'delivery_numbers', 'usage'), ('node', 'tenure', 'insert'), ('node', 'tenure', 'update'),
    ('node', 'setback', 'insert'), ('node', 'setback', 'update'), ('node', 'setback', 'delete'),
    ('node', 'shadow', 'insert'), ('node', 'shadow', 'delete'), ('node', 'shadow_reading', 'update'), ('node', 'shadow_seen', 'insert'),
    ('node', 'dead_letter', 'insert'), ('node', 'dead_letter', 'delete'),
    ('node', 'queue', 'insert'), ('node', 'worker', 'insert'), ('node', 'worker', 'update'), ('node', 'presence', 'insert'), ('node', 'presence', 'delete'),
    ('node', 'worker_queue', 'insert'), ('node', 'worker_queue', 'update'), ('node', 'sequencing', 'update'), ('node', 'claim', 'insert'),
    ('node', 'claim_numbers', 'usage'), ('node', 'settlement', 'insert'), ('node', 'delayed', 'insert'),
    ('node', 'delayed', 'update'), ('node', 'delayed', 'delete'), ('node', 'finish', 'insert'),
    ('node', 'cancellation', 'delete'), ('node', 'unique_job', 'delete'), ('node', 'progress', 'insert'),
    ('node', 'schedule', 'update'))
select w.purpose, w.privilege || ' on ' || n.nspname || '.' || w.name as missing
from pg_namespace n
join pg_class c on c.relnamespace = n.oid
join wanted w on w.name = c.relname
where n.nspname = 'postrider'
and not case c.relkind when 'S' then has_sequence_privilege(c.oid, w.privilege) else has_table_privilege(c.oid, w.privilege) end
union all
select w.purpose, 'insert on ' || n.nspname || '.event (' || string_agg(a.attname, ', ' order by a.attnum) || ')'
from pg_namespace n
join pg_class c on c.relnamespace = n.oid and c.relname = 'event'
cross join (
  values ('emit', array['event_id', 'topic', 'type', 'key', 'project_id', 'user_id', 'aggregate_type', 'aggregate_id', 'payload',
    'headers']), ('enqueue', array['due_at'])) as w (purpose, columns)
join pg_attribute a on a.attrelid = c.oid and a.attname = any (w.columns)
where n.nspname = 'postrider'
and not has_column_privilege(c.oid, a.attnum, 'insert')
group by w.purpose, n.nspname
union all
select 'enqueue', 'execute on function ' || n.nspname || '.enqueue'
from pg_namespace n
join pg_proc f on f.pronamespace = n.oid and f.proname = 'enqueue'
where n.nspname = 'postrider'
and not has_function_privilege(f.oid, 'execute')
union all
select p.purpose, 'usage on schema ' || n.nspname
from pg_namespace n
cross join (values ('emit'), ('node')) as p (purpose)
where n.nspname = 'postrider'
and not has_schema_privilege(n.oid, 'usage')
order by 1, 2
