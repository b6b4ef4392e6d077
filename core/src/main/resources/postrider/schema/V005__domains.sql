-- What an event's columns may hold is said by domains: a check of the table is parsed and planned by every insert. These two took
-- 4 and 6.5 µs an event, of 25 in all; as domains they take between one and two.

-- What an event refers to, the event log has in its indexes, whose rows have room for 2,704 bytes. One event with a user id of
-- 3,000 would stop the recording of its topic for every project. The check comes last and is not valid: it is for what is written
-- from now on, and a domain without one takes the place of text without a look at the rows.
--
-- A column that is seen through a view keeps its type. So views that were made before look away while it changes, and are made
-- again after this file; dropped, they would take along what was granted on them, and what others have built on them.
do $$
declare
  looks_away text;
begin
  for looks_away in
    select format('create or replace view %s as select %s', a.attrelid::regclass, string_agg(format('null::%s%s as %I',
      format_type(a.atttypid, a.atttypmod), case when a.attcollation <> t.typcollation then ' collate "C"' end, a.attname),
      ', ' order by a.attnum))
    from pg_attribute a
    join pg_type t on t.oid = a.atttypid
    where a.attrelid in (to_regclass('postrider.events'), to_regclass('postrider.jobs')) and a.attnum > 0
    group by a.attrelid
  loop
    execute looks_away;
  end loop;
end
$$;
create domain postrider.event_reference as text collate "C";
alter table postrider.event
  alter project_id type postrider.event_reference,
  alter user_id type postrider.event_reference,
  alter aggregate_type type postrider.event_reference,
  alter aggregate_id type postrider.event_reference;
alter domain postrider.event_reference
  add constraint reference_is_short check (octet_length(value) <= 1024) not valid;

-- A topic that begins so is a lane of a queue, or nobody would ever read it.
alter table postrider.event drop constraint queue_topic_is_a_lane;
alter domain postrider.topic_name add constraint queue_topic_is_a_lane
  check (left(value, 6) <> 'queue:' or value ~ '^queue:[A-Za-z0-9][A-Za-z0-9._-]*(:high|:low)?$') not valid;
