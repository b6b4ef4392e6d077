-- names that dead letters may belong to: listeners, lanes of queues, and removed listeners that left dead letters
select l.name from postrider.listener l
union
select t.name from postrider.queue_names() n (name), unnest(postrider.lanes(n.name)) t (name)
union
select d.listener from postrider.dead_letter d
order by 1
