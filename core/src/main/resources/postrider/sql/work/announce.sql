-- announces a queue that a worker works on, and the types that it handles there. touches: worker_queue
insert into postrider.worker_queue (worker, queue, slots, types)
values (:worker, :queue, :slots, :types)
on conflict (worker, queue) do update set slots = excluded.slots, types = excluded.types
