-- touches: dead_letter
delete from postrider.dead_letter d where d.id = any (:ids)
