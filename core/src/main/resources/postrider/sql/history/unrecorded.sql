-- whether a topic has had events for 10 s and no listener records it. A new topic is recorded within a second or two
select not exists (select from postrider.listener l where l.name = :listener)
  and exists (
    select from postrider.head h
    join postrider.pass p on p.n = h.n
    where h.topic = :topic and p.at < clock_timestamp() - interval '10 seconds') as unrecorded
