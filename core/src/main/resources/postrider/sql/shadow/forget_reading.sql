-- a reading has been compared. touches: shadow_reading, shadow_seen
delete from postrider.shadow_reading r where r.id = :reading
