-- records what a listener in shadow would have sent, and moves its cursor. gives: as deliver(). touches: delivery, shadow, setback
-- search_path: any
select postrider.record_shadow(:listener, :from_position, :to_position, :positions::pg_catalog.int8[], :events::pg_catalog.uuid[],
  :messages::pg_catalog.int8[], :payloads::pg_catalog.int8[], :failed::pg_catalog.int8[], :errors::pg_catalog.text[], :worker,
  :era) as recorded
