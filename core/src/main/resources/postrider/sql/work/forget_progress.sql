-- search_path: any
select postrider.forget_progress(:topics, :positions)::pg_catalog.text as forgotten
