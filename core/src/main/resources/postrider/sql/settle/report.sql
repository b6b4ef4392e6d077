-- a running job reports its progress. touches: progress
insert into postrider.progress (topic, position, percent, note) values (:topic, :position, :percent, :note)
on conflict (topic, position) do update set percent = excluded.percent, note = excluded.note, at = excluded.at
