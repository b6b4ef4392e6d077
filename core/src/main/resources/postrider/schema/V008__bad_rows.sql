-- Constraints on event values, stack traces of failures, and the handover of workers.

-- Claims and reads do arithmetic with times that a producer sets: one job that was due at infinity stopped its queue
-- for good. Domains, as in V005; its second part explains why the constraint comes last and is not valid, and why views are
-- emptied while a column changes its type.
do $$
declare
  emptied text;
begin
  for emptied in
    select pg_catalog.format('create or replace view %s as select %s', a.attrelid::pg_catalog.regclass, pg_catalog.string_agg(
      pg_catalog.format('null::%s%s as %I', pg_catalog.format_type(a.atttypid, a.atttypmod),
        case when a.attcollation <> t.typcollation then ' collate "C"' end, a.attname), ', ' order by a.attnum))
    from pg_catalog.pg_attribute a
    join pg_catalog.pg_type t on t.oid = a.atttypid
    where a.attrelid in (pg_catalog.to_regclass('postrider.events'), pg_catalog.to_regclass('postrider.jobs'),
      pg_catalog.to_regclass('postrider.queues')) and a.attnum > 0
    group by a.attrelid
  loop
    execute emptied;
  end loop;
end
$$;
create domain postrider.event_time as timestamptz;
alter table postrider.event
  alter created_at type postrider.event_time,
  alter due_at type postrider.event_time,
  alter unique_key type postrider.event_reference;
alter domain postrider.event_time add constraint time_is_in_years_1_to_9999
  check (value >= timestamptz '0001-01-01 00:00:00+00' and value < timestamptz '10000-01-01 00:00:00+00') not valid;

-- stack: the stack trace of the last failure with its causes, at most 8 KB; for operators only. error stays one line.
alter table postrider.setback add column if not exists stack text;
alter table postrider.delayed add column if not exists stack text;
alter table postrider.dead_letter add column if not exists stack text;

-- since: when the job was put aside; mend_times() recognises by it a time that was written while the clock was ahead. The
-- default is set in a separate statement, because adding a column with a volatile default rewrites the table.
alter table postrider.delayed add column if not exists since timestamptz;
alter table postrider.delayed alter since set default clock_timestamp();

-- These functions get the stack as a last argument with a default, so that nodes of the previous version can still call them
-- during a rollout.
drop function if exists postrider.put_aside(text, bigint[], text[], bigint[], int[], int[], text[], text[]);
drop function if exists postrider.delay_again(text, bigint, bigint, int, text, bigint, boolean, text, text);

-- Jobs that wait for a time that never comes become dead letters. From now on this happens when such a job is claimed:
-- bury_bad.sql.
with bad as (
  delete from postrider.delayed d
  where d.worker is null and d.due_at >= timestamptz '10000-01-01 00:00:00+00'
  returning d.*
), let_go as (
  delete from postrider.unique_job u using bad b where u.event_id = b.event_id and u.until = 'infinity'
)
insert into postrider.dead_letter
  (listener, position, topic, event_id, created_at, type, key, project_id, user_id, aggregate_type, aggregate_id, payload,
   headers, attempts, error_code, error)
select b.topic, b.position, b.topic, b.event_id, b.created_at, b.type, b.key, b.project_id, b.user_id, b.aggregate_type,
  b.aggregate_id, b.payload, b.headers, b.attempt, 'bad_row', 'due_at is ' || b.due_at::text || '; it must be before the year 10000'
from bad b
on conflict (listener, position) do nothing;

-- ── numbers with a short storage form and a long text ───────────────────────────────────────────────────────────────
-- jsonb stores 1e131071 and 1e-16383 in 12 bytes and writes them as 131,072 and 16,385 characters. The caps on payloads and headers
-- measure the text, because that is what readers receive. So this check must come first: 7,500 such numbers took 2.9 GB and 12 s. The
-- constraints of a domain are checked in the order of their names.
--
-- What is too small to matter is not checked: at most 4 KiB hold about 300 numbers, which cannot fill more than 45 MB, and at most
-- 16 KiB hold about 1,000 with 16,385 characters each. A payload of 7 KB with 290 numbers takes 50 µs, which the search for decimal
-- places would make 250. #> '{}' decompresses the value: one that comes from another table may be stored compressed.
create or replace function postrider.has_few_decimal_places(of_value jsonb)
returns boolean
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
set jit = off
as $$
begin
  return not exists (
    select from jsonb_path_query(of_value, 'strict $.**{last} ? (@.type() == "number")') n
    where scale(n::numeric) > 1400);
end
$$;
alter domain postrider.event_payload drop constraint if exists digits_are_bounded;
alter domain postrider.event_payload add constraint digits_are_bounded
  check (pg_column_size(value #> '{}'::text[]) <= 4096
    or (value @@ '$.**{last} > 1e401 || $.**{last} < -1e401'::jsonpath) is not true
      and (pg_column_size(value #> '{}'::text[]) <= 16384 or postrider.has_few_decimal_places(value))) not valid;
alter domain postrider.event_headers drop constraint if exists digits_are_bounded;
alter domain postrider.event_headers add constraint digits_are_bounded
  check (pg_column_size(value #> '{}'::text[]) <= 4096
    or (value @@ '$.**{last} > 1e401 || $.**{last} < -1e401'::jsonpath) is not true
      and (pg_column_size(value #> '{}'::text[]) <= 16384 or postrider.has_few_decimal_places(value))) not valid;

-- Workers that have signed in since the server started. The table is unlogged on purpose: a crash or a promotion empties it,
-- and these are the events in which a server can lose commits that were confirmed to a worker. A worker without a row may know
-- more than the server does, so it may not claim. It signs in under a new number, and the jobs of its old number are handed over.
--   server_start  identifies another server, such as one that was restored from a copy of the files
create unlogged table if not exists postrider.presence (
  worker        bigint       not null primary key,
  server_start  timestamptz  not null default pg_postmaster_start_time()
);

create or replace function postrider.sign_in()
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

drop trigger if exists worker_signs_in on postrider.worker;
create trigger worker_signs_in after insert on postrider.worker for each row execute function postrider.sign_in();

insert into postrider.presence (worker) select w.id from postrider.worker w where w.ended_at is null
on conflict (worker) do nothing;

-- The jobs of an ended worker are handed over in batches, one transaction each, so that the first of 60,000 jobs does not wait
-- for the last. Null until all of them are handed over.
alter table postrider.worker add column if not exists handed_over_at timestamptz;
update postrider.worker w set handed_over_at = w.ended_at where w.ended_at is not null;
create index if not exists worker_open on postrider.worker (id) where handed_over_at is null;
