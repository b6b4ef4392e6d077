-- make_event_log(at): creates partitions of the event log in advance: the current one and the next two. The first call also
-- creates those for the events that the log still has.
--
-- takes    at: the time, for a test
-- gives    how many were created
-- touches  event_log_partition (writes), segment (reads), the catalogue
-- locks    event_log in SHARE UPDATE EXCLUSIVE, which blocks no insert and no read; and the table beyond exclusively, which
--          waits for its readers: the caller sets a short lock_timeout and retries. Partitions are created at least a week ahead
-- never    fails the listener: while it cannot run, rows go to the table beyond. There is no partition for the days of such rows
create or replace function postrider.make_event_log(at timestamptz default clock_timestamp())
returns int
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
as $$
#variable_conflict use_variable
declare
  monday  constant timestamptz := '2001-01-01 00:00:00+00';
  made    int := 0;
  keep    interval;
  width   interval;
  low     timestamptz;
  high    timestamptz;
  name    text;
  child   record;
  policy  record;
begin
  if not pg_try_advisory_xact_lock('postrider.event_log'::regclass::oid::int4, 1) then
    return 0;  -- another node is doing this
  end if;
  perform set_config('postrider.reach', 'all', true);
  select k.keep into keep from postrider.event_log_keep k;
  width := case when keep <= interval '14 days' then '1 day' when keep <= interval '180 days' then '7 days' else '30 days' end;
  select max(p.high) into low from postrider.event_log_partition p;
  -- events are younger than their segment, which was created before them
  low := coalesce(low, date_bin(width, greatest(at - keep, least(at, (
    select min(s.made_at) from postrider.segment s where s.family = 'log'))), monday));
  while low <= at + 2 * width loop
    high := date_bin(width, low, monday) + width;
    if not exists (select from postrider.event_log_beyond b where b.created_at >= low and b.created_at < high) then
      name := 'event_log_' || to_char(low at time zone 'UTC', 'YYYYMMDD');
      execute format('create table postrider.%I (like postrider.event_log including all)', name);
      execute format('alter table postrider.event_log attach partition postrider.%I for values from (%L) to (%L)',
        name, low, high);
      insert into postrider.event_log_partition (low, high) values (low, high);
      made := made + 1;
    end if;
    low := high;
  end loop;

  -- The parent's policies do not apply to reads of a partition by its own name, so each partition has them, too.
  for child in
    select c.oid::regclass as name
    from pg_inherits i
    join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'postrider.event_log'::regclass and not c.relforcerowsecurity
  loop
    execute format('alter table %s enable row level security', child.name);
    execute format('alter table %s force row level security', child.name);
    for policy in
      select p.polname as name, case p.polcmd when 'r' then 'select' else 'all' end as verb,
        pg_get_expr(p.polqual, p.polrelid) as visible, pg_get_expr(p.polwithcheck, p.polrelid) as written
      from pg_policy p
      where p.polrelid = 'postrider.event_log'::regclass
    loop
      execute format('create policy %I on %s for %s using (%s)', policy.name, child.name, policy.verb, policy.visible)
        || coalesce(' with check (' || policy.written || ')', '');
    end loop;
  end loop;
  return made;
end
$$;
