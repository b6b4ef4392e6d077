-- sets how long a silent worker keeps its jobs of a queue; null: the default. touches: queue
insert into postrider.queue (name, lease)
values (:queue, :lease * interval '1 millisecond')
on conflict (name) do update set lease = excluded.lease
returning name
