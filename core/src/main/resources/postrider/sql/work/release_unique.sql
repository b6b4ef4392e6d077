-- search_path: any
select postrider.release_unique(:ids)::pg_catalog.text as released
