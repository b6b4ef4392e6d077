-- whether there is such a topic: it has an event or a listener
select exists (select from postrider.head h where h.topic = :name)
  or exists (select from postrider.listener l where l.topic = :name) as there
