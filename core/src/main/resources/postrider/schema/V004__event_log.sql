-- The event log: a read model of the log, filled by a listener of each topic that somebody wants in it. Here are the indexes
-- that the hot table does not have: by project, by user, by aggregate, over time. See docs/event-log.md.

-- One row for each event, written in the transaction that moves the cursor of the listener event_log:{topic}.
--   created_at   by it the table is partitioned. Who counts or looks back names a time, and gets the partitions of that time
--                only; and it belongs to the event, so that the primary key is the same whenever the event is recorded. What
--                commits late goes to the partition of its own time, which is there for as long as events are kept
--   recorded_at  when it came here
create table postrider.event_log (
  created_at      timestamptz        not null,
  position        bigint             not null,
  event_id        uuid               not null,
  recorded_at     timestamptz        not null default clock_timestamp(),
  topic           text  collate "C"  not null,
  event_type      text  collate "C"  not null,
  key             text  collate "C",
  project_id      text  collate "C",
  user_id         text  collate "C",
  aggregate_type  text  collate "C",
  aggregate_id    text  collate "C",
  payload         jsonb              not null,
  headers         jsonb              not null,
  primary key (topic, position, created_at)
) partition by range (created_at);

-- One for each question that is asked: this event; everything over time; one project, one user, each in the order of a topic
-- and over time; one aggregate. Partial, because an event without a project or a user is not among the answers.
create index event_log_event on postrider.event_log (event_id);
create index event_log_time on postrider.event_log (created_at);
create index event_log_project on postrider.event_log (project_id, topic, position) where project_id is not null;
create index event_log_project_time on postrider.event_log (project_id, created_at) where project_id is not null;
create index event_log_user on postrider.event_log (user_id, topic, position) where user_id is not null;
create index event_log_user_time on postrider.event_log (user_id, created_at) where user_id is not null;
create index event_log_aggregate on postrider.event_log (aggregate_id, aggregate_type, topic, position)
  where aggregate_id is not null;

-- What no partition is there for: older than what is kept, or from a future that nobody has made partitions for.
create table postrider.event_log_beyond partition of postrider.event_log default;

-- The partitions there are, each for low <= created_at < high.
create table postrider.event_log_partition (
  low      timestamptz  not null primary key,
  high     timestamptz  not null,
  made_at  timestamptz  not null default clock_timestamp(),
  constraint event_log_partition_is_forward check (low < high)
);

-- For how long events are kept in the event log: one row. Apart from how long the log itself keeps them.
create table postrider.event_log_keep (
  one   boolean   not null primary key default true,
  keep  interval  not null,
  constraint event_log_keep_is_one_row check (one),
  constraint event_log_keep_is_some_time check (keep >= interval '1 hour')
);
insert into postrider.event_log_keep (keep) values ('90 days');

-- The greatest position of a topic that retention has removed from the event log: it is whole only after it.
create table postrider.event_log_forgotten (
  topic     text  collate "C"  not null primary key,
  position  bigint             not null
);

-- ── who may read what ───────────────────────────────────────────────────────────────────────────────────────────────

-- Forced, so that the owner is no exception. What a transaction has in reach it says by settings that end with it; one that
-- has said nothing sees nothing. The sub-selects are evaluated once a statement and not once a row.
alter table postrider.event_log enable row level security;
alter table postrider.event_log force row level security;

create policy in_reach on postrider.event_log for select using (
  case (select current_setting('postrider.reach', true))
    when 'all' then true
    when 'project' then project_id = (select nullif(current_setting('postrider.project', true), ''))
    when 'user' then user_id = (select nullif(current_setting('postrider.user', true), ''))
      and (project_id is null or project_id = (select nullif(current_setting('postrider.project', true), '')))
    else false
  end);
create policy writing on postrider.event_log for all
  using ((select current_setting('postrider.reach', true)) = 'all')
  with check ((select current_setting('postrider.reach', true)) = 'all');

-- Tokens that are not to be believed any more, though their time is not over.
create table postrider.revoked_token (
  jti         text  collate "C"  not null primary key,
  expires_at  timestamptz        not null,
  revoked_at  timestamptz        not null default clock_timestamp(),
  why         text               not null default '',
  constraint revoked_token_is_short check (octet_length(jti) <= 1024 and octet_length(why) <= 1024)
);

create index revoked_token_expired on postrider.revoked_token (expires_at);
