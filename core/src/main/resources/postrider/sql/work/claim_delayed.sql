-- search_path: any
select * from postrider.claim_delayed(:queue, :lanes, :worker, :most, :bytes, :types, :tier)
