-- search_path: any
select postrider.release_unique(:topics, :projects, :keys, :ids)::pg_catalog.text as released
