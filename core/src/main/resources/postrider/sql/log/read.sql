-- see functions/read.sql
-- search_path: any
select r.position, r.event_id, r.type, r.payload, r.key, r.project_id, r.user_id, r.aggregate_type, r.aggregate_id,
  r.headers, r.created_at, r.era, r.running
from postrider.read(:topic, :after, :upto, :most, :bytes, :types::pg_catalog.text[], :low_id, :high_id,
  :projects::pg_catalog.text[]) r
