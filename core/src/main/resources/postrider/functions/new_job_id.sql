-- new_job_id(): an id that begins with the time (UUID version 7). Jobs are looked up by id, so an index has it: with random ids
-- each job would change another page of it, and log the whole page after a checkpoint.
-- Its body is parsed at creation, so no search_path can change it, and the planner can inline it
create or replace function postrider.new_job_id()
returns uuid
language sql volatile parallel safe
begin atomic
  select encode(set_bit(set_bit(overlay(
    uuid_send(gen_random_uuid())
    placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6), 52, 1), 53, 1),
    'hex')::uuid;
end;
