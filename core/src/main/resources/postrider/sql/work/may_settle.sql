-- whether a job that goes by itself may be settled in the transaction of its handler. gives: free; cancelled, if it has been;
-- elsewhere, if this is not the transaction that was marked (mark.sql); no row, if the job is gone. locks: its row, to the end
-- of the transaction; the lock is one step and the look at the cancellations another, so the look sees what was committed
-- before the lock was had
with mine as materialized (
  select d.topic, d.position from postrider.delayed d where d.topic = :topic and d.position = :position for update
)
select case
    when current_setting('postrider.job', true) is distinct from :job::text then 'elsewhere'
    when postrider.has_cancellation(m.topic, m.position) then 'cancelled'
    else 'free'
  end as settled
from mine m
