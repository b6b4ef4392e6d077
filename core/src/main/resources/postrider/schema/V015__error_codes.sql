-- The code of a listener's failure, beside its text: as delayed and dead_letter have it for jobs.
alter table postrider.setback add column error_code text;
