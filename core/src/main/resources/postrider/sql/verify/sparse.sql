-- the first few gaps that dense.sql counts
(
  select s.topic, s.position, case when s.step = 0 then 'given twice' else 'a hole of ' || s.step - 1 || ' before it' end as what
  from (
    select l.topic, l.position,
      l.position - coalesce(lag(l.position) over (partition by l.topic order by l.position), 0) as step
    from postrider.log l
  ) s
  where s.step <> 1
  order by s.topic, s.position
  limit :most
)
union all
(
  select t.topic, t.last, 'the last position, but the head is ' || coalesce(t.head::text, 'not there')
  from (
    select t.topic, t.last,
      (select h.position from postrider.head h where h.topic = t.topic order by h.position desc limit 1) as head
    from (select l.topic, max(l.position) as last from postrider.log l group by l.topic) t
  ) t
  where t.last is distinct from t.head
  limit :most
)
