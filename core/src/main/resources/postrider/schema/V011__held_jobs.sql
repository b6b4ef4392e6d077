-- Jobs that were put aside are found by type, so that a claim reads none that its worker does not handle, and by key, so that it
-- reads none that waits behind others of its key.
create index if not exists delayed_type on postrider.delayed
  (topic, type, (case when key is null then 0 when why = 'key' then 2 else 1 end), due_at, position) where worker is null;
create index if not exists delayed_key on postrider.delayed
  (topic, type, (case when key is null then 0 when why = 'key' then 2 else 1 end), key, position)
  where worker is null and key is not null;
