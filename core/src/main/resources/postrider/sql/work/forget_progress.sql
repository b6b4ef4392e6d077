-- jobs that have ended are not on their way any more. touches: progress
delete from postrider.progress p
using unnest(:topics::text[], :positions::bigint[]) j (topic, position)
where j.topic = p.topic and j.position = p.position
