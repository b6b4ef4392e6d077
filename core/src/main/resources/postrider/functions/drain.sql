-- drain(n, most): gives out the next piece of the backlog: about most events, shared among the topics that wait.
--
-- gives    the topics that moved, their heads, the range of ids, how many events, and whether any are left
-- touches  backlog, event (reads), log, head (writes); empties backlog when all of it has been given out
-- locks    backlog exclusively for a moment at the end, and only if nobody is reading it (a dump may be)
-- never    updates: how far a topic has come is its head, and the last id given is in log at that position
create or replace function postrider.drain(
  n            bigint,
  most         int,
  out topics   text[],
  out heads    bigint[],
  out low_id   bigint,
  out high_id  bigint,
  out events   bigint,
  out more     boolean)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $$
#variable_conflict use_variable
declare
  waiting   text[];
  topic     text;
  head      bigint;
  start     bigint;
  budget    bigint;
  group_    postrider.backlog;
  reached   bigint;
  given     bigint;
  lowest    bigint;
  highest   bigint;
begin
  topics := '{}';
  heads := '{}';
  events := 0;
  more := false;
  with recursive t as (
    (select b.topic from postrider.backlog b order by b.topic limit 1)
    union all
    select (select b.topic from postrider.backlog b where b.topic > t.topic order by b.topic limit 1)
    from t where t.topic is not null
  )
  select coalesce(array_agg(t.topic), '{}') into waiting
  from t
  where t.topic is not null
  and (select b.to_position from postrider.backlog b where b.topic = t.topic order by b.from_position desc limit 1)
    > coalesce((select h.position from postrider.head h where h.topic = t.topic order by h.position desc limit 1), 0);

  foreach topic in array waiting loop
    select coalesce((select h.position from postrider.head h where h.topic = topic order by h.position desc limit 1), 0)
    into start;
    head := start;
    budget := greatest(most / cardinality(waiting), 1);
    while budget > 0 loop
      select * into group_ from postrider.backlog b
      where b.topic = topic and b.from_position <= head + 1 order by b.from_position desc limit 1;
      exit when not found or group_.to_position <= head;

      if group_.from_position = head + 1 and group_.to_position <= head + budget then
        -- whole transactions, as many as fit
        with given_out as (
          insert into postrider.log (topic, position, tx, id)
          select b.topic, b.from_position - 1 + row_number() over (partition by b.from_position order by e.id), e.tx, e.id
          from postrider.backlog b
          join postrider.event e on e.tx = b.tx and e.topic = b.topic and e.id >= b.first_id and e.id <= b.last_id
          where b.topic = topic and b.from_position > head and b.to_position <= head + budget
          order by 1, 2
          returning log.id
        )
        select count(*), min(g.id), max(g.id) into given, lowest, highest from given_out g;
        if given <> (select sum(b.to_position - b.from_position + 1) from postrider.backlog b
                     where b.topic = topic and b.from_position > head and b.to_position <= head + budget) then
          raise exception 'topic % lost events after they were promised positions from %', topic, head + 1
            using errcode = 'PR002';
        end if;
      else
        -- a part of one large transaction; within it the order is the id's, so it goes on where it stopped
        select case
          when group_.from_position = head + 1 then group_.first_id - 1
          else (select l.id from postrider.log l where l.topic = topic and l.position = head)
        end into reached;
        with given_out as (
          insert into postrider.log (topic, position, tx, id)
          select topic, head + row_number() over (order by e.id), e.tx, e.id
          from (
            select e.tx, e.id from postrider.event e
            where e.tx = group_.tx and e.id > reached and e.id <= group_.last_id and e.topic = topic
            order by e.id
            limit least(budget, group_.to_position - head)
          ) e
          returning log.id
        )
        select count(*), min(g.id), max(g.id) into given, lowest, highest from given_out g;
        if given <> least(budget, group_.to_position - head) then
          raise exception 'topic % lost events after they were promised positions from %', topic, head + 1
            using errcode = 'PR002';
        end if;
      end if;
      head := head + given;
      budget := budget - given;
      events := events + given;
      low_id := least(low_id, lowest);
      high_id := greatest(high_id, highest);
    end loop;

    if head > start then
      insert into postrider.head (topic, position, n) values (topic, head, n);
      topics := topics || topic;
      heads := heads || head;
    end if;
    more := more or head < (
      select b.to_position from postrider.backlog b where b.topic = topic order by b.from_position desc limit 1);
  end loop;

  if not more then
    begin
      lock table postrider.backlog in access exclusive mode nowait;
      truncate postrider.backlog;
    exception when lock_not_available then
      null;  -- a dump is reading it: what is given out stays recognisable by the heads, and is emptied another time
    end;
  end if;
end
$$;
