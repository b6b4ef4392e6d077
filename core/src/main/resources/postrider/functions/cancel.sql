-- cancel(topic, position, reason): cancels a job, identified by its lane and position because several jobs may have the same id.
--
-- gives    cancelled: it will not start. asked: it is running; its worker interrupts it, and the effects of a transactional
--          handler are rolled back. finished: too late. pending: it is being claimed at this moment; the caller repeats the
--          call. Null: there is no such job
-- touches  delayed, finish, cancellation, unique_job (writes), claim, settlement, log, event (reads)
-- locks    its row in delayed; or its worker, so that the job is either settled first or seen as cancelled; or its lane, so that
--          it is either claimed first or dropped by the next claim
create or replace function postrider.cancel(of_topic text, of_position bigint, of_reason text default null)
returns text
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
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
  select d.* into own from postrider.delayed d where d.topic = of_topic and d.position = of_position for update;
  if own.topic is not null and own.worker is null then
    delete from postrider.delayed d where d.topic = of_topic and d.position = of_position;
    insert into postrider.finish (topic, position, fate, attempts, result)
    values (of_topic, of_position, 'cancelled', own.attempt, to_jsonb(of_reason));
    perform postrider.release_unique(
      array[of_topic], array[own.project_id::text], array[own.unique_key::text], array[own.event_id]);
    return 'cancelled';
  end if;
  if own.topic is not null then
    perform postrider.ask_to_cancel(of_topic, of_position, of_reason);
    return 'asked';
  end if;
  select e.event_id, e.project_id::text, e.unique_key::text into job
  from postrider.log l
  join postrider.event e on e.tx = l.tx and e.id = l.id
  where l.topic = of_topic and l.position = of_position;
  if not found then
    return null;
  end if;
  select c.n, c.worker into holder from postrider.claim c
  where c.topic = of_topic and c.from_position <= of_position and c.to_position >= of_position
  order by c.from_position desc limit 1;
  if holder.n is null then
    perform pg_advisory_xact_lock('postrider.claim'::regclass::oid::int4, hashtext(of_topic));
    if of_position <= coalesce((
      select c.to_position from postrider.claim c
      where c.topic = of_topic order by c.from_position desc, c.n desc limit 1), 0) then
      return 'pending';
    end if;
    perform postrider.ask_to_cancel(of_topic, of_position, of_reason);
    perform postrider.release_unique(array[of_topic], array[job.project_id], array[job.unique_key], array[job.event_id]);
    return 'cancelled';
  end if;
  perform pg_advisory_xact_lock('postrider.settlement'::regclass::oid::int4, (holder.worker % 2147483647::bigint)::int4);
  if exists (select from postrider.settlement s where s.n = holder.n and s.positions @> of_position) then
    return case
      when exists (select from postrider.delayed d where d.topic = of_topic and d.position = of_position) then 'pending'
      else 'finished' end;
  end if;
  perform postrider.ask_to_cancel(of_topic, of_position, of_reason);
  return 'asked';
end
$$;
