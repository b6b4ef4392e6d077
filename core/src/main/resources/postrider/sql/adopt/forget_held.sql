-- drops the rows that the trigger has captured and that were not released: the old table still has them, and a later import finds
-- them. touches: adoption_held, adopted
with held as (
  delete from postrider.adoption_held h where h.source = :source returning h.adopted_id
)
delete from postrider.adopted a using held h where a.source = :source and a.adopted_id = h.adopted_id
