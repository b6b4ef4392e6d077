-- Data for the progress checks.

-- The queues that a worker works on, with its slots and the job types that it handles there. The node announces them when it
-- gets its number. `postrider doctor` and `jobs show` use them to find queues without a worker and types without a handler.
create table postrider.worker_queue (
  worker  bigint             not null references postrider.worker (id) on delete cascade,
  queue   text  collate "C"  not null,
  slots   int                not null,
  types   text[]             not null,
  primary key (worker, queue)
);

-- For recent dead letters.
create index dead_letter_died on postrider.dead_letter (died_at);
