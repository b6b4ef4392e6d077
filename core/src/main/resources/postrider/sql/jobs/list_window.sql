-- the positions of each lane of a queue that a page of its jobs scans: from top down to bottom, limited in number. bottom is null if the
-- lane has no job up to top; more: there are jobs below bottom. Jobs whose event was removed have only their row in delayed.
-- touches: head, log, delayed
select w.topic, w.top, w.bottom,
  coalesce(w.oldest < w.bottom
    or exists (select from postrider.delayed d where d.topic = w.topic and d.position < w.bottom), false) as more
from (
  select l.n, l.topic, t.top, o.oldest, case
    when o.oldest <= t.top then greatest(t.top - :scan::int8 + 1, o.oldest)
    else (
      select min(d.position)
      from (
        select d.position from postrider.delayed d
        where d.topic = l.topic and d.position <= t.top
        order by d.position desc
        limit :scan::int8
      ) d)
  end as bottom
  from unnest(postrider.lanes(:queue), array[:high::int8, :normal::int8, :low::int8]) with ordinality l (topic, before, n)
  cross join lateral (
    select least(l.before - 1, greatest(
      (select h.position from postrider.head h where h.topic = l.topic order by h.position desc limit 1),
      (select d.position from postrider.delayed d where d.topic = l.topic order by d.position desc limit 1),
      0)) as top
  ) t
  cross join lateral (
    select (select g.position from postrider.log g where g.topic = l.topic order by g.position limit 1) as oldest
  ) o
) w
order by w.n
