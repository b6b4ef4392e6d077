-- search_path: any
select postrider.mark_listener(:tenure)::pg_catalog.text as marked
