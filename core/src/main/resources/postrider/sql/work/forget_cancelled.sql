-- search_path: any
select postrider.forget_cancelled(:topics, :positions)::pg_catalog.text as forgotten
