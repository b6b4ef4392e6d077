-- a new listener begins in shadow, after its starting point. touches: listener
update postrider.listener l set shadow_from = :to_position + 1 where l.name = :listener
