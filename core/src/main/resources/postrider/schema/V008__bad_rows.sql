-- Values that an event may not hold, and what a failure leaves behind.

-- Workers that have signed in since the server started. The table is unlogged on purpose: a crash and a promotion empty it,
-- and they are what makes a server forget commits that a worker has heard of. A worker without a row here knows more than the
-- server does, so it may not claim: it signs in under a new number, and what its old number holds is handed over.
--   server_start  tells another server, such as one that was restored from a copy of the files
create unlogged table postrider.presence (
  worker        bigint       not null primary key,
  server_start  timestamptz  not null default pg_postmaster_start_time()
);

create function postrider.sign_in()
returns trigger
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
as $$
begin
  insert into postrider.presence (worker) values (new.id)
  on conflict (worker) do update set server_start = excluded.server_start;
  return null;
end
$$;

create trigger worker_signs_in after insert on postrider.worker for each row execute function postrider.sign_in();

insert into postrider.presence (worker) select w.id from postrider.worker w where w.ended_at is null;

-- A worker that has ended is handed over in pieces, each a transaction, so that the first of 60,000 jobs does not wait for the
-- last. Null while there are pieces left.
alter table postrider.worker add column handed_over_at timestamptz;
update postrider.worker w set handed_over_at = w.ended_at where w.ended_at is not null;
create index worker_open on postrider.worker (id) where handed_over_at is null;
