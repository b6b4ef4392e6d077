-- Privileges, and indexes for job lookups.

-- Has no rows. sequence() locks it, so that passes are serial. Only a role with privileges on a table may lock it. Any role may
-- take an advisory lock, and one session that held it stopped sequencing.
create table postrider.sequencing ();

-- A unique key belongs to its queue and its project: one project cannot hold another's. Only the owner reads or writes the table;
-- producers enqueue through a function with the owner's rights.
alter table postrider.unique_job add column project_id text collate "C" not null default '';
alter table postrider.unique_job
  drop constraint unique_job_pkey,
  add primary key (queue, project_id, unique_key);
revoke all on postrider.unique_job from public;

-- Finished and cancelled jobs release their key by their id. Without an index each such statement read the whole table, and with
-- enable_seqscan = off its cost estimate was so high that JIT compiled it each time: 114 ms instead of 0.5.
create index unique_job_event on postrider.unique_job (event_id);
