-- end_intruders() gives more columns, which "create or replace" cannot change.
drop function if exists postrider.end_intruders();
