-- the first row of a listener's ledger, if it has none: its starting point. touches: delivery
insert into postrider.delivery (listener, from_position, to_position, events, worker)
select :listener, 0, :to_position, 0, :worker
where not exists (select from postrider.delivery d where d.listener = :listener)
