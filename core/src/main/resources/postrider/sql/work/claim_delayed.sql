select * from postrider.claim_delayed(:queue, :worker, :most, :types, :tier)
