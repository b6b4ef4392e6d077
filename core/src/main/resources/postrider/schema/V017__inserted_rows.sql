-- What a producer may insert, checked row by row: column grants alone do not protect a column.
-- oldest: 16

-- A view that a producer creates over event may give any column a default, and PostgreSQL does not check the right to insert into a
-- column that is filled by a view's default. A producer set tx and id that way and took the positions of another producer's events.
-- So a row of a role that is not the owner must have the values that the defaults of the table produce:
--   tx, id      this transaction, and the number that this session drew last. A number that was drawn in an earlier transaction is
--               accepted too: that event may get no position, and no other event is affected
--   created_at  the time of the statement. The calculation with an interval costs more and comes second: it is needed only after
--               the clock was set back. A role with insert on the column may choose another time
--   unique_key  belongs to jobs that enqueue() writes as the owner
--   wake        what its default gives: null, or '' after a notification
-- Row-level security, because the owner and therefore nodes, restores and enqueue() pay nothing for it. A check or a trigger costs
-- them as well, and producers twice as much; a domain is impossible for id, by which the table is partitioned. What it costs
-- besides: COPY FROM is refused to roles that are not the owner.
alter table postrider.event enable row level security;

create policy own_row on postrider.event for insert with check (
  tx = pg_catalog.pg_current_xact_id_if_assigned()
  and id = pg_catalog.currval('postrider.event_ids'::pg_catalog.regclass)
  and (created_at >= pg_catalog.statement_timestamp() and created_at <= pg_catalog.clock_timestamp()
    or created_at >= pg_catalog.clock_timestamp() - interval '1 hour' and created_at <= pg_catalog.clock_timestamp() + interval '1 hour'
    or pg_catalog.has_column_privilege('postrider.event'::pg_catalog.regclass::pg_catalog.oid, 'created_at', 'insert'))
  and unique_key is null
  and (wake is null or wake = ''));

-- Which roles may read, change and delete rows is decided by grants, as before.
create policy granted_select on postrider.event for select using (true);
create policy granted_update on postrider.event for update using (true);
create policy granted_delete on postrider.event for delete using (true);

-- The name of a queue has at most 80 characters: no worker accepts a longer one, so its jobs would wait for ever. Other topics are
-- not slower: the first comparison decides. Not valid: the constraint applies to new rows.
alter domain postrider.topic_name drop constraint queue_topic_is_a_lane;
alter domain postrider.topic_name add constraint queue_topic_is_a_lane
  check (pg_catalog.left(value, 6) <> 'queue:'
    or value ~ '^queue:[A-Za-z0-9][A-Za-z0-9._-]*(:high|:low)?$'
      and pg_catalog.octet_length(pg_catalog.split_part(value, ':', 2)) <= 80) not valid;
