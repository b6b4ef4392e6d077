-- The log: what producers write, what the sequencer writes, what listeners write.
--
-- Rule of the house: on the success path rows are inserted and never updated or deleted. A current value (a head, a
-- cursor, the last pass) is the last row by index. A transaction held open for hours then stops vacuum and costs
-- nothing, because there is nothing to vacuum.
--
-- The word "postrider" in these files is the schema's name and is replaced when another name is chosen.

create schema if not exists postrider;

-- Which migrations ran here. The digest tells a file that was edited after it had been applied.
create table postrider.migration (
  version     int          not null primary key,
  name        text         not null,
  digest      text         not null,
  applied_at  timestamptz  not null default clock_timestamp()
);

-- ── what producers write ────────────────────────────────────────────────────────────────────────────────────────────

-- Cache 1: with a larger cache a session draws low numbers late, and two events of one key change places.
create sequence postrider.event_ids as bigint cache 1;

-- What an event's columns may hold. Domains, because a table's check constraints are parsed and planned again by every
-- insert: seven of them cost 19 µs an event, these 4 µs. Names are checked by a class and a length and not by {0,99}: a
-- counted regex costs another 4 µs.
create domain postrider.topic_name as text collate "C"
  constraint topic_is_a_name check (value ~ '^[A-Za-z0-9][A-Za-z0-9._:-]*$' and octet_length(value) <= 100);
create domain postrider.type_name as text collate "C"
  constraint type_is_a_name check (value ~ '^[A-Za-z0-9][A-Za-z0-9._:/-]*$' and octet_length(value) <= 200);
create domain postrider.event_key as text collate "C"
  constraint key_is_short check (octet_length(value) <= 1024);
create domain postrider.event_payload as jsonb
  constraint payload_is_under_the_cap check (octet_length(value::text) <= 262144);
create domain postrider.event_headers as jsonb
  constraint headers_are_a_small_object check (jsonb_typeof(value) = 'object' and octet_length(value::text) <= 16384);

-- One row for each event, written once in the producer's transaction.
--   tx, id      who wrote it and in which order; the sequencer finds new events by tx. tx stands before id, so that the
--               transaction has its number before it draws an id: who is numbered later than some moment has only ids
--               above the sequence's value at that moment (see pass.high, and sequence.sql).
--   wake        always null. Its default is the wake-up: if the sequencer is awake the shared lock is free, and it
--               cannot fall asleep before this transaction has ended. If it sleeps, it holds the lock, and is notified.
--               A default of built-in functions costs less than a trigger: no call into PL/pgSQL for each row.
-- No index but the primary key: every other look-up belongs to a read model.
create table postrider.event (
  tx              xid8                      not null default pg_current_xact_id(),
  id              bigint                    not null default nextval('postrider.event_ids'),
  event_id        uuid                      not null default gen_random_uuid(),
  created_at      timestamptz               not null default clock_timestamp(),
  topic           postrider.topic_name      not null,
  type            postrider.type_name       not null,
  key             postrider.event_key,
  project_id      text         collate "C",
  user_id         text         collate "C",
  aggregate_type  text         collate "C",
  aggregate_id    text         collate "C",
  payload         postrider.event_payload   not null,
  headers         postrider.event_headers   not null default '{}',
  wake            text         default case
    when pg_try_advisory_xact_lock_shared('postrider.event'::regclass::oid::int4, 1) then null
    when current_setting('postrider.notify', true) = 'off' then null
    when pg_notification_queue_usage() < 0.5 then pg_notify('postrider', 'event')::text
  end,
  primary key (tx, id)
) partition by range (id);

-- ── what the sequencer writes ───────────────────────────────────────────────────────────────────────────────────────

-- An event's position. Segmented by the same bounds of id as event, so that one segment of both goes in one step.
create table postrider.log (
  position  bigint             not null,
  tx        xid8               not null,
  id        bigint             not null,
  topic     text  collate "C"  not null,
  primary key (topic, position, id)
) partition by range (id);

-- Where the transaction numbers of the passes come from. A restored dump, a promoted standby, an upgraded cluster count
-- transactions anew or differently: each opens an era, whose first pass finds what has no position by looking at it all.
--   high       events with a greater id were written in this era
create table postrider.era (
  era                int          not null primary key,
  system_identifier  bigint       not null,
  timeline           text         not null,
  high               bigint       not null,
  reason             text         not null,
  began_at           timestamptz  not null default clock_timestamp()
);

-- One row for each pass that found something.
--   snapshot   what was committed when the pass looked: the next pass looks for what has been committed since
--   high       the sequence's value before the pass had a number of its own as a transaction: whoever is numbered after
--              the pass draws only greater ids
--   low        the high of the pass before: transactions numbered from xmax(snapshot) on have only greater ids. Not this
--              pass's own high, because xmax is one more than the last transaction that has ended: there may be running
--              ones beyond it, which have drawn ids already
--   floor      transactions running at the snapshot, and later ones, have only greater ids
--   topics, heads   the topics that moved and their new heads: what a node reads when it is told that the log moved
--   low_id, high_id the range of ids that the pass gave positions: lets a reader look at one segment, not at all
create table postrider.pass (
  n         bigint       not null primary key,
  era       int          not null,
  snapshot  pg_snapshot  not null,
  floor     bigint       not null,
  low       bigint       not null,
  high      bigint       not null,
  events    bigint       not null,
  topics    text[]       not null,
  heads     bigint[]     not null,
  low_id    bigint       not null,
  high_id   bigint       not null,
  at        timestamptz  not null default clock_timestamp()
) partition by range (n);

-- A topic's head after each pass that moved it; the last row is the head. Not taken from log by a backward scan, which
-- would walk the rows that a running pass is inserting (28 ms a look, and quadratic inside the pass itself).
create table postrider.head (
  topic     text  collate "C"  not null,
  position  bigint             not null,
  n         bigint             not null,
  primary key (topic, position, n)
) partition by range (n);

-- Positions promised to transactions that are too many or too large for one pass. Filled once in order, then given out
-- piece by piece. What is done follows from the topic's head, so nothing here is updated; emptied when all is done.
create table postrider.backlog (
  topic          text  collate "C"  not null,
  from_position  bigint             not null,
  to_position    bigint             not null,
  tx             xid8               not null,
  first_id       bigint             not null,
  last_id        bigint             not null,
  primary key (topic, from_position)
);

-- ── what listeners write ────────────────────────────────────────────────────────────────────────────────────────────

-- A named reader of a topic. id is its number in advisory locks.
create table postrider.listener (
  name         text  collate "C"  not null primary key,
  id           int                not null generated always as identity unique,
  topic        text  collate "C"  not null,
  kind         text               not null,
  policy       text               not null,
  types        text[],
  batch        int                not null,
  attempts     int                not null,
  paused       boolean            not null default false,
  created_at   timestamptz        not null default clock_timestamp(),
  detached_at  timestamptz,
  constraint listener_name_is_a_name check (name ~ '^[A-Za-z0-9][A-Za-z0-9._:-]*$' and octet_length(name) <= 100),
  constraint listener_kind_is_known check (kind in ('transactional', 'relay')),
  constraint listener_policy_is_known check (policy in ('block', 'park', 'skip'))
);

create sequence postrider.delivery_numbers as bigint cache 1;

-- The ledger: one row for each finished range of positions. The cursor is the to_position of the last row; each
-- from_position is the to_position before it plus one. A row from 0 is a starting point: the first, or a reset.
create table postrider.delivery (
  n              bigint             not null default nextval('postrider.delivery_numbers'),
  listener       text  collate "C"  not null,
  from_position  bigint             not null,
  to_position    bigint             not null,
  events         int                not null,
  worker         text               not null,
  at             timestamptz        not null default clock_timestamp(),
  primary key (listener, n),
  constraint delivery_range_is_forward check (from_position <= to_position)
) partition by range (n);

-- when was this position delivered; when was the listener last reset
create index delivery_position on postrider.delivery (listener, from_position);

-- Who runs a listener, since when, and whether it ended in order. One that did not may have been killed by the event it
-- was handling, so its successor counts attempts before it makes them.
create table postrider.tenure (
  listener  text  collate "C"  not null,
  n         bigint             not null generated always as identity,
  worker    text               not null,
  began_at  timestamptz        not null default clock_timestamp(),
  ended_at  timestamptz,
  primary key (listener, n)
);

-- A failure that will be retried, and what waits behind it. Carries the event, because retention may take the original.
--   attempt      counted and committed when the attempt begins, so that an event that kills the process is found
--   retry_after  null while an attempt is under way
create table postrider.setback (
  listener        text  collate "C"  not null,
  position        bigint             not null,
  topic           text  collate "C"  not null,
  event_id        uuid               not null,
  created_at      timestamptz        not null,
  type            text  collate "C"  not null,
  key             text  collate "C",
  project_id      text  collate "C",
  user_id         text  collate "C",
  aggregate_type  text  collate "C",
  aggregate_id    text  collate "C",
  payload         jsonb              not null,
  headers         jsonb              not null,
  attempt         int                not null default 0,
  begun_at        timestamptz,
  retry_after     timestamptz,
  error           text,
  worker          text,
  primary key (listener, position)
);

-- A failure that will not be retried by itself.
create table postrider.dead_letter (
  id              bigint             not null generated always as identity primary key,
  listener        text  collate "C"  not null,
  position        bigint             not null,
  topic           text  collate "C"  not null,
  event_id        uuid               not null,
  created_at      timestamptz        not null,
  type            text  collate "C"  not null,
  key             text  collate "C",
  project_id      text  collate "C",
  user_id         text  collate "C",
  aggregate_type  text  collate "C",
  aggregate_id    text  collate "C",
  payload         jsonb              not null,
  headers         jsonb              not null,
  attempts        int                not null,
  error           text               not null,
  died_at         timestamptz        not null default clock_timestamp(),
  unique (listener, position)
);

-- ── segments ────────────────────────────────────────────────────────────────────────────────────────────────────────

-- A stretch [low, high) of the tables of one family: 'log' (event, log), 'pass' (pass, head), 'delivery'.
--   opened_at   when its first number was seen in use
--   closed_at   when nothing could be added to it any more: its age counts from here. For a ledger, when what is still
--               needed of it had been carried over
--   emptied_at  when retention emptied it; it is dropped when nobody is in the way
create table postrider.segment (
  family      text         not null,
  low         bigint       not null,
  high        bigint       not null,
  made_at     timestamptz  not null default clock_timestamp(),
  opened_at   timestamptz,
  closed_at   timestamptz,
  emptied_at  timestamptz,
  primary key (family, low),
  constraint segment_family_is_known check (family in ('log', 'pass', 'delivery')),
  constraint segment_range_is_forward check (low < high)
);

-- The range of positions of each topic in a closed segment: it may go when every listener is past the last of them.
create table postrider.segment_topic (
  low             bigint             not null,
  topic           text  collate "C"  not null,
  first_position  bigint             not null,
  last_position   bigint             not null,
  primary key (low, topic)
);

-- The last position that retention has removed from a topic. A transaction that commits late has a low id and a high
-- position: when its segment goes, positions before it may still be there, but the log is whole only after it.
create table postrider.forgotten (
  topic     text  collate "C"  not null primary key,
  position  bigint             not null
);

-- The stretch beyond the last segment. Rows come here only if nobody made segments ahead for a long time; it is there so
-- that a producer's insert never fails for want of one.
create table postrider.event_beyond partition of postrider.event default;
create table postrider.log_beyond partition of postrider.log default;
create table postrider.pass_beyond partition of postrider.pass default;
create table postrider.head_beyond partition of postrider.head default;
create table postrider.delivery_beyond partition of postrider.delivery default;
