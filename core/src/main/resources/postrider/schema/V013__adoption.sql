-- Adoption: an existing outbox or job table is taken over while its writers go on (ADR 16).

-- One row for each table that is or was adopted.
--   source      schema.table, quoted where needed: the header adopted_from
--   state       holding: new rows are captured and wait in adoption_held until the old rows are imported; emitting: new rows are
--               emitted in the writer's transaction; undone: there is no trigger, the old system goes on; finished
--   topic       where the rows go: a topic, or the normal lane of a queue
--   spec        how a row becomes an event: columns, types, statuses. The trigger has its own copy as an argument
--   import_mode, imported_to, imported_at   all or unfinished; the last id that was imported, if ids are numbers; when all were
--   mirror_listener   the listener that the mirror follows; null: every listener of the topic
--   mirrored_to       the last position that the mirror has written back
create table postrider.adoption (
  source           text  collate "C"  not null primary key,
  state            text               not null,
  topic            text  collate "C"  not null,
  spec             jsonb              not null,
  import_mode      text,
  imported_to      text,
  imported_at      timestamptz,
  mirror           boolean            not null default false,
  mirror_listener  text  collate "C",
  mirrored_to      bigint             not null default 0,
  bridged_at       timestamptz        not null default clock_timestamp(),
  finished_at      timestamptz,
  constraint adoption_state_is_known check (state in ('holding', 'emitting', 'undone', 'finished')),
  constraint adoption_mode_is_known check (import_mode in ('all', 'unfinished'))
);

-- The ledger: one row for each row of the old table that was taken over. Its key makes a second emission impossible.
--   how          bridge (by the trigger), import, or skip (a job that the old system had finished)
--   mirrored_at  when the outcome of a job was written back
-- No foreign key to adoption: its check would lock the row, and a writer would wait for a running import.
create table postrider.adopted (
  source       text  collate "C"  not null,
  adopted_id   text  collate "C"  not null,
  n            bigint             not null generated always as identity,
  event_id     uuid               not null,
  how          text               not null,
  at           timestamptz        not null default clock_timestamp(),
  mirrored_at  timestamptz,
  primary key (source, adopted_id),
  constraint adopted_how_is_known check (how in ('bridge', 'import', 'skip'))
);

create index adopted_open on postrider.adopted (source, n) where mirrored_at is null and how <> 'skip';

-- Rows that the trigger has captured while older rows are still being imported. n is drawn when the row is inserted, so a row that
-- could see another one committed has the greater n.
create table postrider.adoption_held (
  source          text  collate "C"  not null,
  n               bigint             not null generated always as identity,
  adopted_id      text  collate "C"  not null,
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
  due_at          timestamptz,
  primary key (source, n)
);

-- Rows that cannot become an event, such as one whose payload is not JSON. They are left to the old system.
create table postrider.adoption_reject (
  source      text  collate "C"  not null,
  adopted_id  text  collate "C"  not null,
  problem     text               not null,
  at          timestamptz        not null default clock_timestamp(),
  primary key (source, adopted_id)
);
