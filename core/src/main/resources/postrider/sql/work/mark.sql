-- search_path: any
select postrider.mark_job(:worker, :job)::pg_catalog.text as marked
