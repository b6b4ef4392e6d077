-- has_cancellation(topic, position): whether somebody has asked that a job be cancelled. Volatile, so that it looks with a
-- snapshot of its own: see may_settle.sql.
create or replace function postrider.has_cancellation(of_topic text, of_position bigint)
returns boolean
language plpgsql volatile as $$
begin
  return exists (select from postrider.cancellation c where c.topic = of_topic and c.position = of_position);
end
$$;
