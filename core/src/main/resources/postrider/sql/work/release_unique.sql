-- jobs that are finished let go of their unique keys; one that holds its key for a period keeps it. touches: unique_job
delete from postrider.unique_job u where u.queue = any (:queues) and u.event_id = any (:ids) and u.until = 'infinity'
