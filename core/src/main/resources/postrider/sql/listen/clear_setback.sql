-- search_path: any
select postrider.clear_setback(:listener, :position, :attempt) as ours
