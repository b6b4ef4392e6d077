-- cancel(id, reason): a job is not wanted any more.
--
-- gives    cancelled: it will not be begun. asked: it runs; its worker interrupts it, and a transactional handler's effects
--          are rolled back. finished: too late. pending: somebody claims it this very moment; ask again. Null: there is no
--          such job
-- touches  delayed, finish, cancellation, unique_job (writes), claim, settlement, log, event (reads)
-- locks    its row; or its worker, so that it is either settled first or sees that it is cancelled; or its lane, so that it is
--          either claimed first or dropped by who claims it
create or replace function postrider.cancel(of_id uuid, of_reason text default null)
returns text
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  job     record;
  own     postrider.delayed;
  holder  record;
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'cancel needs isolation read committed, was %', current_setting('transaction_isolation')
      using errcode = 'PR001';
  end if;
  select f.topic, f.position into job from postrider.find_job(of_id) f;
  if job.topic is null then
    return null;
  end if;
  select d.* into own from postrider.delayed d where d.topic = job.topic and d.position = job.position for update;
  if own.topic is not null and own.worker is null then
    delete from postrider.delayed d where d.topic = job.topic and d.position = job.position;
    insert into postrider.finish (topic, position, fate, attempts, result)
    values (job.topic, job.position, 'cancelled', own.attempt, to_jsonb(of_reason));
    delete from postrider.unique_job u where u.event_id = of_id and u.until = 'infinity';
    return 'cancelled';
  end if;
  if own.topic is not null then
    perform postrider.ask_to_cancel(job.topic, job.position, of_reason);
    return 'asked';
  end if;
  select c.n, c.worker into holder from postrider.claim c
  where c.topic = job.topic and c.from_position <= job.position and c.to_position >= job.position
  order by c.from_position desc limit 1;
  if holder.n is null then
    perform pg_advisory_xact_lock('postrider.claim'::regclass::oid::int4, hashtext(job.topic));
    if job.position <= coalesce((
      select c.to_position from postrider.claim c
      where c.topic = job.topic order by c.from_position desc, c.n desc limit 1), 0) then
      return 'pending';
    end if;
    perform postrider.ask_to_cancel(job.topic, job.position, of_reason);
    delete from postrider.unique_job u where u.event_id = of_id and u.until = 'infinity';
    return 'cancelled';
  end if;
  perform pg_advisory_xact_lock('postrider.settlement'::regclass::oid::int4, (holder.worker % 2147483647)::int4);
  if exists (select from postrider.settlement s where s.n = holder.n and s.positions @> job.position) then
    return case
      when exists (select from postrider.delayed d where d.topic = job.topic and d.position = job.position) then 'pending'
      else 'finished' end;
  end if;
  perform postrider.ask_to_cancel(job.topic, job.position, of_reason);
  return 'asked';
end
$$;
