-- creates a listener, or changes its options; its topic and its start cannot be changed. A new sink clears the state "unavailable"
-- of the old one. touches: listener
insert into postrider.listener (name, topic, kind, policy, types, projects, batch, attempts, paused, sink)
values (:name, :topic, :kind, :policy, :types::text[], :projects::text[], :batch, :attempts, :paused, :sink)
on conflict (name) do update
set kind = excluded.kind, policy = excluded.policy, types = excluded.types,
  projects = excluded.projects, batch = excluded.batch, attempts = excluded.attempts, sink = excluded.sink,
  unavailable_since = case when listener.sink = excluded.sink then listener.unavailable_since end,
  unavailable_tries = case when listener.sink = excluded.sink then listener.unavailable_tries else 0 end,
  unavailable_error = case when listener.sink = excluded.sink then listener.unavailable_error end,
  unavailable_until = case when listener.sink = excluded.sink then listener.unavailable_until end
where (listener.kind, listener.policy, listener.types, listener.projects, listener.batch, listener.attempts, listener.sink)
  is distinct from
  (excluded.kind, excluded.policy, excluded.types, excluded.projects, excluded.batch, excluded.attempts, excluded.sink)
