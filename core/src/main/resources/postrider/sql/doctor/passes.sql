-- whether the passes are there: once an era has begun, the last of them is what the next one goes on from
select exists (select from postrider.era) and not exists (select from postrider.pass) as emptied
