-- asks the node that runs a relay to test its sink, and notifies it. gives: when, and whether there is such a relay. touches: listener
with asked as (
  update postrider.listener l set test_asked_at = clock_timestamp()
  where l.name = :relay and l.sink is not null
  returning l.test_asked_at
)
select (select a.test_asked_at from asked a) as asked_at, pg_notify('postrider', 'steer')::text as told
