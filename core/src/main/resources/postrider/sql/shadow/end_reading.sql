-- a reading is complete, or failed. touches: shadow_reading
update postrider.shadow_reading r set ended_at = clock_timestamp(), whole = :whole, error = :error where r.id = :reading
