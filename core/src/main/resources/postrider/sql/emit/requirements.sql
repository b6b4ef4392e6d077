select r.topic, r.project_id, r.user_id from postrider.topic_requirement r order by r.topic
