-- Shadow mode: a listener does everything except the sending, and records what it would have sent.

--   shadow_from      the first position of its shadow phase, the current one or the last; null: it was never in shadow
--   live_from        the first position that it handles live again; null while no end of the shadow phase is set. Positions from
--                    shadow_from up to this one are recorded, positions from this one on are sent
--   shadow_asked_at  an operator wants shadow mode, and the node that runs the listener has not entered it yet
alter table postrider.listener
  add column shadow_from bigint,
  add column live_from bigint,
  add column shadow_asked_at timestamptz,
  add constraint listener_live_after_shadow check (live_from is null or shadow_from is not null);

-- What a listener in shadow would have sent: one row for each range, written in the transaction that moves its cursor past the range.
--   positions, events, messages, payloads
--              one element for each event: its position, its id, and hashes of the message and of the payload alone (64 bits of
--              SHA-256 over JSON with sorted names)
--   failed, errors
--              the positions at which the handler of a transactional listener failed, and why
create table postrider.shadow (
  listener       text  collate "C"  not null,
  from_position  bigint             not null,
  to_position    bigint             not null,
  positions      bigint[]           not null,
  events         uuid[]             not null,
  messages       bigint[]           not null,
  payloads       bigint[]           not null,
  failed         bigint[]           not null default '{}',
  errors         text[]             not null default '{}',
  at             timestamptz        not null default clock_timestamp(),
  primary key (listener, from_position),
  constraint shadow_range_is_forward check (from_position <= to_position)
);

create index shadow_age on postrider.shadow (at);

-- A request to the node that runs a relay: read what another publisher has written to the sink's server, for a comparison.
--   place        topic, stream or channel; null: the one that the relay sends to
--   id_place     where a message has its id, and payload_place its payload; null: the usual places
--   whole        whether everything since that time was read
create table postrider.shadow_reading (
  id             bigint             not null generated always as identity primary key,
  listener       text  collate "C"  not null,
  place          text,
  id_place       text,
  payload_place  text,
  since          timestamptz        not null,
  for_millis     bigint             not null,
  asked_at       timestamptz        not null default clock_timestamp(),
  begun_at       timestamptz,
  ended_at       timestamptz,
  whole          boolean            not null default false,
  error          text
);

create index shadow_reading_open on postrider.shadow_reading (listener) where begun_at is null;

-- What the node has read, in the order of each lane (a partition of a topic): ids and hashes as in the table shadow; 0: no payload.
create table postrider.shadow_seen (
  reading   bigint  not null references postrider.shadow_reading (id) on delete cascade,
  n         int     not null,
  lanes     text[]  not null,
  ids       text[]  not null,
  messages  bigint[] not null,
  payloads  bigint[] not null,
  primary key (reading, n)
);

-- deliver() has a new argument. It has a default, so that nodes of the previous version can still call it during a rollout; for a
-- listener in shadow their deliveries are refused.
drop function if exists postrider.deliver(text, bigint, bigint, int, text, int, bigint);
