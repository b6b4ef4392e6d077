-- the adoption of a table
select a.source, a.state, a.topic, a.spec::text as spec, a.spec ->> 'kind' = 'jobs' as jobs, a.import_mode, a.imported_at, a.mirror,
  a.mirror_listener, a.mirrored_to, a.bridged_at,
  (select max(d.at) from postrider.adopted d where d.source = a.source and d.how = 'bridge') as last_row_at
from postrider.adoption a
where a.source = :source
