-- why a job is waiting; no row if it is not. takes: position 0, if it has none yet
select w.reason, w.until, w.ahead, w.detail, split_part(:topic, ':', 2) as queue from postrider.waiting(:topic, :position) w
