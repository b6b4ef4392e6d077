-- whose a dead letter may be: listeners, the lanes of queues, and those that are gone and left some
select l.name from postrider.listener l
union
select t.name from postrider.queue_names() n (name), unnest(postrider.lanes(n.name)) t (name)
union
select d.listener from postrider.dead_letter d
order by 1
