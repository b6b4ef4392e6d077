-- creates or changes a schedule; its next tick changes only together with the cron expression or the zone. touches: schedule
insert into postrider.schedule as s (name, queue, type, payload, cron, zone, next_at)
values (:name, :queue, :type, :payload::jsonb, :cron, :zone, :next_at)
on conflict (name) do update
set queue = excluded.queue, type = excluded.type, payload = excluded.payload, cron = excluded.cron, zone = excluded.zone,
  next_at = case when (s.cron, s.zone) = (excluded.cron, excluded.zone) then s.next_at else excluded.next_at end
