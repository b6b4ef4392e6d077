-- moves a listener's cursor by a new starting point in its ledger, and lets a detached one run again. Who runs it finds
-- its next delivery refused, and reads where it is. The number of its course is taken from the clock: counted on, it would be given
-- out again after a restore or a failover that forgot this reset, and what the sink has of the forgotten course would not be sent.
-- touches: delivery, listener. locks: the listener's place in the ledger
with locked as materialized (
  select l.name, pg_advisory_xact_lock('postrider.delivery'::regclass::oid::int4, l.id)::text as got
  from postrider.listener l
  where l.name = :listener
), started as (
  insert into postrider.delivery (listener, from_position, to_position, events, worker)
  select k.name, 0, :to_position, 0, :worker from locked k
  returning listener
), attached as (
  update postrider.listener l
  set detached_at = null, course = greatest(l.course + 1, (extract(epoch from clock_timestamp()) * 1000)::int8), unavailable_since = null, unavailable_tries = 0, unavailable_error = null,
    unavailable_until = null
  from started s where l.name = s.listener
)
select count(*) as reset, pg_notify('postrider', 'steer')::text as told from started
