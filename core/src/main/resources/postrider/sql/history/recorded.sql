-- whether the listener that records a topic was ever added. touches: listener
select exists (select from postrider.listener l where l.name = :listener) as recorded
