-- sets the limits of a queue, and notifies the nodes. touches: queue
insert into postrider.queue (name, running_limit, key_limit, rate, rate_period)
values (:queue, :running::int, :per_key::int, :rate::int, :period * interval '1 millisecond')
on conflict (name) do update
set running_limit = excluded.running_limit, key_limit = excluded.key_limit, rate = excluded.rate,
  rate_period = excluded.rate_period
returning name, pg_notify('postrider', 'steer')::text as told
