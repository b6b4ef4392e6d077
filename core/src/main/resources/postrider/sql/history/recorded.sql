-- whether somebody has added the listener that records a topic. touches: listener
select exists (select from postrider.listener l where l.name = :listener) as recorded
