-- whether there is such a queue: a worker works on it, it was configured, or a job was enqueued
select exists (select from postrider.queue q where q.name = :name)
  or exists (select from postrider.head h where h.topic = any (postrider.lanes(:name))) as there
