-- adopt_done_to(topic, listener): the position up to which this listener, or every listener of the topic, has finished all events.
-- An event that waits for a retry is not finished; a dead letter is. Null if there is no such listener
create or replace function postrider.adopt_done_to(of_topic text, of_listener text)
returns bigint
language plpgsql stable
set search_path = pg_catalog, pg_temp
set jit = off
as $$
begin
  return (
    select min(least(
      coalesce((select d.to_position from postrider.delivery d where d.listener = l.name order by d.n desc limit 1), 0),
      coalesce((select min(s.position) - 1 from postrider.setback s where s.listener = l.name), 9223372036854775807)))
    from postrider.listener l
    where l.topic = of_topic
    and (l.name = of_listener or of_listener is null and left(l.name, 10) <> 'event_log:'));
end
$$;
