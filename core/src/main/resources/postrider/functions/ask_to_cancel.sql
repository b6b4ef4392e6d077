-- ask_to_cancel(topic, position, reason): records that a job is cancelled, and notifies the nodes. See cancel.sql.
--
-- touches  cancellation (writes)
create or replace function postrider.ask_to_cancel(of_topic text, of_position bigint, of_reason text)
returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
as $$
begin
  insert into postrider.cancellation (topic, position, reason) values (of_topic, of_position, of_reason)
  on conflict do nothing;
  perform pg_notify('postrider', 'steer');
end
$$;
