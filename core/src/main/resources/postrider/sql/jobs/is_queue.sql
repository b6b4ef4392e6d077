-- whether there is such a queue: somebody works on it or has set it up, or something was enqueued
select exists (select from postrider.queue q where q.name = :name)
  or exists (select from postrider.head h where h.topic = any (postrider.lanes(:name))) as there
