-- search_path: any
select postrider.finish_delayed(:topic, :position, :worker, :attempt, :fate, :result::pg_catalog.jsonb) as ours
