-- whether a job that goes by itself has been cancelled. locks: its row, to the end of the transaction; the lock is one step
-- and the look at the cancellations another, so the look sees what was committed before the lock was had
with mine as materialized (
  select d.topic, d.position from postrider.delayed d where d.topic = :topic and d.position = :position for update
)
select postrider.has_cancellation(m.topic, m.position) as cancelled from mine m
