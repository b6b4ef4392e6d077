select * from postrider.claim_delayed(:queue, :topics, :worker, :most, :types, :crashes)
