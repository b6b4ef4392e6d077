select postrider.enqueue(queue => :queue, type => :type, payload => :payload::jsonb, run_at => :run_at::timestamptz,
  key => :key, priority => :priority, unique_key => :unique_key, unique_for => :unique_for * interval '1 millisecond',
  project_id => :project_id, user_id => :user_id, headers => :headers::jsonb, aggregate_type => :aggregate_type,
  aggregate_id => :aggregate_id, job_id => :job_id) as id
