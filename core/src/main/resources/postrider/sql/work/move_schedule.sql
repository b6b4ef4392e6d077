-- brings a schedule's next tick back to where it should be, unless somebody has moved it meanwhile. touches: schedule
update postrider.schedule s set next_at = :next_at
where s.name = :name and s.next_at > :next_at
