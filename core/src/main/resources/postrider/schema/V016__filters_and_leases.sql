-- What listeners want, leases of queues, required fields of topics, and the compatibility of versions.

-- projects: the listener handles only events of these projects; null: of all.
alter table postrider.listener add column projects text[];

-- What a listener wants from a position on: nothing (before its start, or what a reset skipped), or events of these types and
-- projects (null: all). The row with the greatest from_position up to an event's position applies to the event. Written when a
-- node registers the listener and by a reset, never for each event. event_status reads it: without it, events from before the
-- start of a listener and types that it filters out looked as if they had been published.
create table postrider.listener_filter (
  listener       text  collate "C"  not null references postrider.listener (name) on delete cascade,
  from_position  bigint             not null,
  skipped        boolean            not null default false,
  types          text[],
  projects       text[],
  primary key (listener, from_position)
);

-- Listeners that exist: from the starting points that their ledgers still have, in order.
do $$
declare
  start  record;
begin
  for start in
    select d.listener, d.to_position, l.types, coalesce(p.to_position, 0) as stood
    from postrider.delivery d
    join postrider.listener l on l.name = d.listener
    left join lateral (
      select p.to_position from postrider.delivery p where p.listener = d.listener and p.n < d.n order by p.n desc limit 1) p on true
    where d.from_position = 0
    order by d.n
  loop
    delete from postrider.listener_filter f
    where f.listener = start.listener and f.from_position > least(start.stood, start.to_position);
    if start.to_position > start.stood then
      insert into postrider.listener_filter (listener, from_position, skipped) values (start.listener, start.stood + 1, true);
    end if;
    insert into postrider.listener_filter (listener, from_position, types)
    values (start.listener, start.to_position + 1, start.types)
    on conflict (listener, from_position) do update set skipped = false, types = excluded.types;
  end loop;
end
$$;

-- lease: how long a silent worker keeps its jobs of this queue; null: 10 s, and 12 s behind a pooler.
alter table postrider.queue
  add column lease interval,
  add constraint queue_lease_is_bounded check (lease between interval '3 seconds' and interval '1 hour');

-- kept_until: the worker was silent while it held jobs of queues with a long lease. Its jobs are not taken over before this time,
-- even if its connection is ended because other nodes wait for locks of it. Null when the worker has come back.
alter table postrider.worker add column kept_until timestamptz;

-- claimed_at: when a dead job was claimed for its last attempt; null for events.
alter table postrider.dead_letter add column claimed_at timestamptz;

-- Fields that events of a topic must have. require() keeps a trigger on event in step with this table; without rows there is no
-- trigger, and emitting costs nothing more.
create table postrider.topic_requirement (
  topic       text  collate "C"  not null primary key,
  project_id  boolean            not null,
  user_id     boolean            not null,
  constraint topic_requirement_is_not_empty check (project_id or user_id)
);

-- oldest: the oldest version of Postrider that works on the schema after this migration; null: only this version and newer ones.
alter table postrider.migration add column oldest int;

-- A function whose arguments have changed: it also filters by project. The new argument has a default, so that nodes of the
-- previous version can still call it during a rollout.
drop function if exists postrider.read(text, bigint, bigint, int, bigint, text[], bigint, bigint);
