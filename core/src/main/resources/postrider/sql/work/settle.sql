-- search_path: any
select postrider.settle(:worker, :ns, :positions::pg_catalog.int8multirange[], :fates, :results::pg_catalog.jsonb[], :job, :topics) as settled
