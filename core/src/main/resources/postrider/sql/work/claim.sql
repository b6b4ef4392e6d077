-- search_path: any
select * from postrider.claim(:queue, :topic, :worker, :most, :first, :bytes, :open_n, :latest)
