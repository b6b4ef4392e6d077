-- makes a queue that is not there. touches: queue
insert into postrider.queue (name) values (:queue) on conflict (name) do nothing
