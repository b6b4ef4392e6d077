-- pauses or resumes a queue, and notifies the nodes. touches: queue
insert into postrider.queue (name, paused) values (:queue, :paused)
on conflict (name) do update set paused = excluded.paused
returning name, pg_notify('postrider', 'steer')::text as told
