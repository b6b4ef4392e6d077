-- creates a queue that does not exist yet. touches: queue
insert into postrider.queue (name) values (:queue) on conflict (name) do nothing
