-- Jobs: what workers write. A job is an event on a queue: the queue's topic has a lane for each priority.
--
-- The rule of the house holds: a job that goes well is claimed by one row and settled by one, together with its neighbours,
-- and no row is rewritten. What does not go by the range (a time to wait for, a retry, a crash, a worker that does not know
-- the type) is put aside: a row of its own in delayed, claimed by itself.

-- ── what producers write ────────────────────────────────────────────────────────────────────────────────────────────

-- due_at: not before this time. unique_key: the key that the job holds in unique_job until it is finished.
alter table postrider.event add column due_at timestamptz;
alter table postrider.event add column unique_key text collate "C";

-- A topic that begins so is a lane of a queue, or nobody would ever read it.
alter table postrider.event add constraint queue_topic_is_a_lane
  check (left(topic, 6) <> 'queue:' or topic ~ '^queue:[A-Za-z0-9][A-Za-z0-9._-]*(:high|:low)?$');

-- A job is looked up by its id. Events on other topics are not in these.
create index event_job on postrider.event (event_id) where topic >= 'queue:' and topic < 'queue;';
create index log_job on postrider.log (id) where topic >= 'queue:' and topic < 'queue;';

-- A queue, once somebody has enqueued with options or works on it. id is its number in advisory locks.
--   running_limit  jobs of it that run at once, on all nodes together
--   key_limit      jobs of one key that run at once
--   rate, rate_period  jobs begun in any such period, at most
create table postrider.queue (
  name           text  collate "C"  not null primary key,
  id             int                not null generated always as identity unique,
  paused         boolean            not null default false,
  running_limit  int,
  key_limit      int,
  rate           int,
  rate_period    interval,
  created_at     timestamptz        not null default clock_timestamp(),
  constraint queue_name_is_a_name check (name ~ '^[A-Za-z0-9][A-Za-z0-9._-]*$' and octet_length(name) <= 80)
);

-- Who holds a unique key, and until when at the longest. Gone when the job is finished, or taken over after the time.
create table postrider.unique_job (
  queue       text  collate "C"  not null,
  unique_key  text  collate "C"  not null,
  event_id    uuid               not null,
  until       timestamptz        not null default 'infinity',
  primary key (queue, unique_key)
);

create index unique_job_until on postrider.unique_job (until) where until < 'infinity';

-- ── what workers write ──────────────────────────────────────────────────────────────────────────────────────────────

-- A process that works on queues, for as long as its wire lasts: it holds a lock of its session by id. Its claims end with it.
--   pooled    behind a pooler there is no session to hold a lock by: then seen_at is its sign of life
--   leaving   it closes, and a job does not heed that: its end is no crash
create table postrider.worker (
  id        bigint       not null generated always as identity primary key,
  node      text         not null,
  pooled    boolean      not null default false,
  began_at  timestamptz  not null default clock_timestamp(),
  seen_at   timestamptz  not null default clock_timestamp(),
  leaving   boolean      not null default false,
  ended_at  timestamptz
);

create index worker_alive on postrider.worker (id) where ended_at is null;
create index worker_ended on postrider.worker (ended_at) where ended_at is not null;

create sequence postrider.claim_numbers as bigint cache 1;

-- The right of a worker to a range of positions. Ranges follow each other without a hole: the next one begins where the
-- last one ends.
--   jobs     how many were begun by it, for a queue with a rate
--   open_n   the oldest claim of this worker that was not settled when this one was made: where a takeover begins to look
-- A range may be empty: it tells up to where the lane is claimed, when the claims before it are forgotten.
create table postrider.claim (
  n              bigint             not null default nextval('postrider.claim_numbers'),
  topic          text  collate "C"  not null,
  from_position  bigint             not null,
  to_position    bigint             not null,
  jobs           int                not null,
  worker         bigint             not null,
  open_n         bigint             not null,
  at             timestamptz        not null default clock_timestamp(),
  primary key (topic, from_position, n)
) partition by range (n);

create index claim_worker on postrider.claim (worker, n);

-- What became of positions of a claim. All settlements of a claim together cover it exactly once.
--   fate      done, cancelled, dead, aside (it is in delayed)
--   results   what done jobs gave back, by position
create table postrider.settlement (
  n          bigint          not null,
  positions  int8multirange  not null,
  topic      text  collate "C"  not null,
  fate       text            not null,
  results    jsonb,
  at         timestamptz     not null default clock_timestamp(),
  primary key (n, positions)
) partition by range (n);

-- A job that goes by itself. Carries the event, because retention may take the original.
--   attempt   begun attempts, counted when they are claimed
--   crashes   workers that ended while it ran, or while its claim was open; from the second on it runs alone
--   worker    who runs it now
create table postrider.delayed (
  topic            text  collate "C"  not null,
  position         bigint             not null,
  event_id         uuid               not null,
  created_at       timestamptz        not null,
  type             text  collate "C"  not null,
  key              text  collate "C",
  project_id       text  collate "C",
  user_id          text  collate "C",
  aggregate_type   text  collate "C",
  aggregate_id     text  collate "C",
  payload          jsonb              not null,
  headers          jsonb              not null,
  unique_key       text  collate "C",
  why              text               not null,
  due_at           timestamptz        not null,
  attempt          int                not null default 0,
  crashes          int                not null default 0,
  error_code       text,
  error            text,
  worker           bigint,
  claimed_at       timestamptz,
  primary key (topic, position)
);

-- Those that later jobs of their key stand behind, if the queue limits that: crowd.sql.
create index delayed_queueing on postrider.delayed (topic, key)
  where worker is null and key is not null and why in ('key', 'crash', 'returned', 'carried over');
create index delayed_due on postrider.delayed (topic, due_at) where worker is null;
create index delayed_suspect on postrider.delayed (topic, due_at) where worker is null and crashes > 0;
create index delayed_worker on postrider.delayed (worker) where worker is not null;
create index delayed_id on postrider.delayed (event_id);

-- How a job that went by itself ended. n is drawn from claim_numbers, so that it goes when the claims of its time go.
create table postrider.finish (
  n           bigint             not null default nextval('postrider.claim_numbers'),
  topic       text  collate "C"  not null,
  position    bigint             not null,
  fate        text               not null,
  attempts    int                not null,
  worker      bigint,
  claimed_at  timestamptz,
  result      jsonb,
  at          timestamptz        not null default clock_timestamp(),
  primary key (topic, position, n)
) partition by range (n);

-- Why a job died, in a word; listeners have none.
alter table postrider.dead_letter add column error_code text;

-- Jobs that somebody has cancelled and that a worker has not let go yet.
create table postrider.cancellation (
  topic     text  collate "C"  not null,
  position  bigint             not null,
  reason    text,
  at        timestamptz        not null default clock_timestamp(),
  primary key (topic, position)
);

-- A job that is made by the clock.
--   cron, zone   when: five fields, in the local time of the zone
--   next_at      the next tick. Who enqueues for it moves it on in the same transaction, so that a tick has one job
create table postrider.schedule (
  name        text  collate "C"      not null primary key,
  queue       text  collate "C"      not null,
  type        postrider.type_name    not null,
  payload     postrider.event_payload not null,
  cron        text                   not null,
  zone        text                   not null,
  paused      boolean                not null default false,
  next_at     timestamptz            not null,
  last_at     timestamptz,
  last_job    uuid,
  created_at  timestamptz            not null default clock_timestamp(),
  constraint schedule_name_is_a_name check (name ~ '^[A-Za-z0-9][A-Za-z0-9._:-]*$' and octet_length(name) <= 100)
);

-- What a running job has said of itself last; gone when it is finished.
create table postrider.progress (
  topic     text  collate "C"  not null,
  position  bigint             not null,
  percent   int                not null,
  note      text,
  at        timestamptz        not null default clock_timestamp(),
  primary key (topic, position),
  constraint percent_is_one check (percent between 0 and 100)
);

create table postrider.claim_beyond partition of postrider.claim default;
create table postrider.settlement_beyond partition of postrider.settlement default;
create table postrider.finish_beyond partition of postrider.finish default;

-- claim, settlement and finish are segmented together, by the claim's number.
alter table postrider.segment drop constraint segment_family_is_known;
alter table postrider.segment add constraint segment_family_is_known check (family in ('log', 'pass', 'delivery', 'claim'));
