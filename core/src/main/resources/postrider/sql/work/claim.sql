select * from postrider.claim(:queue, :topic, :worker, :most, :bytes, :open_n)
