-- touches: event_log_keep
update postrider.event_log_keep k set keep = :keep * interval '1 millisecond'
where k.keep <> :keep * interval '1 millisecond'
