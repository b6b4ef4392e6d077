-- pauses or resumes a listener, and notifies the nodes. touches: listener
with changed as (
  update postrider.listener l set paused = :paused where l.name = :listener returning 1
)
select count(*) as changed, pg_notify('postrider', 'steer')::text as told from changed
