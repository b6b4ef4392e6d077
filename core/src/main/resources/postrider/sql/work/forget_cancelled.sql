-- jobs that have ended are not to be cancelled any more. touches: cancellation
delete from postrider.cancellation c
using unnest(:topics::text[], :positions::bigint[]) j (topic, position)
where j.topic = c.topic and j.position = c.position
