-- a worker ends its tenure cleanly; old tenures are deleted. touches: tenure
with ended as (
  update postrider.tenure t set ended_at = clock_timestamp() where t.listener = :listener and t.n = :n
)
delete from postrider.tenure t where t.listener = :listener and t.n < :n - 100
