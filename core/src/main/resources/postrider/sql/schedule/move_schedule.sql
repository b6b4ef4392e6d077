-- corrects a schedule's next tick, unless another node has moved it meanwhile. touches: schedule
update postrider.schedule s set next_at = :next_at
where s.name = :name and s.next_at = :seen
