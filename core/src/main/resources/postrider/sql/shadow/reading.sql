-- how far a reading is
select r.begun_at is not null as begun, r.ended_at is not null as ended, r.whole, r.error
from postrider.shadow_reading r
where r.id = :reading
