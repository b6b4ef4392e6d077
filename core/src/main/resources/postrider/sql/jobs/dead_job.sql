-- where the dead job with this id is, also after retention has removed its event. Several: the oldest
select d.topic, d.position from postrider.dead_letter d where d.event_id = :id and d.listener = d.topic order by d.id limit 1
