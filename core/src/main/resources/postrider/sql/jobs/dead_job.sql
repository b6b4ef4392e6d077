-- the lane and position of the dead job with this id, also after retention has removed its event. If several: the oldest
select d.topic, d.position from postrider.dead_letter d where d.event_id = :id and d.listener = d.topic order by d.id limit 1
