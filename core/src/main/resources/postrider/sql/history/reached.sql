-- the last position that the event log has of a topic: the cursor of its listener. touches: delivery
select coalesce((
  select d.to_position from postrider.delivery d where d.listener = :listener order by d.n desc limit 1), 0) as position
