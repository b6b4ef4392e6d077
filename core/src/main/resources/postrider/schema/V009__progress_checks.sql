-- What the checks of progress read.

-- Which queues a worker works on, with how many slots, and which job types it handles there: announced by the node when it
-- gets its number. `postrider doctor` and `jobs show` tell by it that nobody works on a queue, or that nobody knows a type.
create table postrider.worker_queue (
  worker  bigint             not null references postrider.worker (id) on delete cascade,
  queue   text  collate "C"  not null,
  slots   int                not null,
  types   text[]             not null,
  primary key (worker, queue)
);

-- What died lately.
create index dead_letter_died on postrider.dead_letter (died_at);
