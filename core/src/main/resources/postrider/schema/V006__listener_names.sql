-- The listener that records a topic is called event_log:{topic}, and a topic has up to 100 bytes. Not valid: the name of one that is
-- there was short enough.
alter table postrider.listener
  drop constraint listener_name_is_a_name,
  add constraint listener_name_is_a_name check (name ~ '^[A-Za-z0-9][A-Za-z0-9._:-]*$' and octet_length(name) <= 120) not valid;
