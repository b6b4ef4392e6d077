-- lanes(queue): the topics that are the lanes of a queue.
-- Its body is parsed at creation, so no search_path can change it, and the planner can inline it
create or replace function postrider.lanes(of_queue text)
returns text[]
language sql immutable parallel safe
return array['queue:' || of_queue || ':high', 'queue:' || of_queue, 'queue:' || of_queue || ':low'];
