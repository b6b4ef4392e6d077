-- search_path: any
select postrider.lock_unique_keys(:keys)::pg_catalog.text as locked
