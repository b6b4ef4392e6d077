-- whether there is such a topic: something is in it, or somebody listens to it
select exists (select from postrider.head h where h.topic = :name)
  or exists (select from postrider.listener l where l.topic = :name) as there
