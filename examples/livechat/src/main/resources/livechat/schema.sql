-- What the example keeps. May be run as often as one likes.
create schema if not exists livechat;

create table if not exists livechat.project (
  id    text  primary key,
  name  text  not null
);

-- Whom a message can call by @id.
create table if not exists livechat.agent (
  id          text  primary key,
  project_id  text  not null references livechat.project,
  name        text  not null
);

create table if not exists livechat.visitor (
  id          text         primary key,
  project_id  text         not null references livechat.project,
  name        text         not null,
  created_at  timestamptz  not null default clock_timestamp()
);

-- One for each visitor: two messages that arrive at once find or create the same one.
create table if not exists livechat.conversation (
  id          uuid         primary key default gen_random_uuid(),
  project_id  text         not null references livechat.project,
  visitor_id  text         not null unique references livechat.visitor,
  created_at  timestamptz  not null default clock_timestamp()
);
create index if not exists conversation_project on livechat.conversation (project_id);

-- client_id is drawn by whoever writes the message, before it is sent: sent again, it is the same message.
-- accepted_at is when it was queued, and orders a conversation: several workers save several messages of it at once, so that
-- neither id nor created_at follows the order in which they were sent.
create table if not exists livechat.message (
  id               bigint       generated always as identity primary key,
  conversation_id  uuid         not null references livechat.conversation,
  author_kind      text         not null check (author_kind in ('visitor', 'agent', 'companion')),
  author_id        text         not null,
  author_name      text         not null,
  client_id        text         not null,
  body             text         not null,
  mentions         text[]       not null default '{}',
  pilot            boolean      not null default false,
  answers          bigint       references livechat.message,
  attempt          int          not null default 1,
  accepted_at      timestamptz  not null,
  created_at       timestamptz  not null default clock_timestamp(),
  unique (author_kind, author_id, client_id)
);
create index if not exists message_conversation on livechat.message (conversation_id, accepted_at);
create index if not exists message_created on livechat.message (created_at);

create table if not exists livechat.read_mark (
  conversation_id  uuid    references livechat.conversation,
  agent_id         text    references livechat.agent,
  message_id       bigint  not null,
  primary key (conversation_id, agent_id)
);

-- An agent was mentioned in a message: written by the listener "activity", once for each agent and message. It is seen when the
-- agent's read mark has passed the message.
create table if not exists livechat.activity (
  id               bigint       generated always as identity primary key,
  project_id       text         not null references livechat.project,
  agent_id         text         not null references livechat.agent,
  conversation_id  uuid         not null references livechat.conversation,
  message_id       bigint       not null references livechat.message,
  author_name      text         not null,
  visitor_id       text         not null,
  visitor_name     text         not null,
  body             text         not null,
  created_at       timestamptz  not null default clock_timestamp(),
  unique (agent_id, message_id)
);
create index if not exists activity_agent on livechat.activity (agent_id, id);

-- What the companion remembers of a conversation. counted: one for each message that it was called for, whatever happened
-- on the way; if a job were done twice, or not at all, this number would tell.
create table if not exists livechat.companion (
  conversation_id  uuid    primary key references livechat.conversation,
  counted          bigint  not null default 0,
  replies          bigint  not null default 0,
  called           text,
  last_intent      text
);

-- How many attempts of the companion's next job fail, and which job that has become. One row.
create table if not exists livechat.companion_failures (
  one    boolean  primary key default true check (one),
  ahead  int      not null default 0
);
alter table livechat.companion_failures add column if not exists job uuid;
insert into livechat.companion_failures default values on conflict do nothing;
