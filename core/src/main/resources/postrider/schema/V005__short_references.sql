-- What an event refers to, the event log has in its indexes, whose rows have room for 2,704 bytes. One event with a user id of
-- 3,000 would stop the recording of its topic for every project. One check of the table and no domains: to give the columns
-- another type, the views on them would have to go, and what was granted on them. Not valid: for what is written from now on.
alter table postrider.event
  add constraint project_user_and_aggregate_are_short check (
    octet_length(project_id) <= 1024 and octet_length(user_id) <= 1024
    and octet_length(aggregate_type) <= 1024 and octet_length(aggregate_id) <= 1024) not valid;
