-- search_path: any
select postrider.enqueue(queue => :queue, type => :type, payload => :payload::pg_catalog.jsonb, run_at => :run_at::pg_catalog.timestamptz,
  key => :key, priority => :priority, unique_key => :unique_key, unique_for => :unique_for::pg_catalog.interval,
  project_id => :project_id, user_id => :user_id, headers => :headers::pg_catalog.jsonb, aggregate_type => :aggregate_type,
  aggregate_id => :aggregate_id, job_id => :job_id) as id
