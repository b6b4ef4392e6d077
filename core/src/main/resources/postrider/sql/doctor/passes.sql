-- whether the table pass was emptied: after the first era has begun, each pass continues from the last one
select exists (select from postrider.era) and not exists (select from postrider.pass) as emptied
