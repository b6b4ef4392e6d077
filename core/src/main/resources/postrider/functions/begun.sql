-- begun(queue, period): how many jobs of a queue were started in the last period.
--
-- touches  claim (reads, from its end back to the beginning of the period)
create or replace function postrider.begun(of_queue text, period interval)
returns bigint
language plpgsql stable
set search_path = pg_catalog, pg_temp
set jit = off
set enable_seqscan = off
as $$
declare
  jobs  bigint := 0;
  lane  text;
  one   record;
begin
  foreach lane in array postrider.lanes(of_queue) loop
    for one in select c.jobs, c.at from postrider.claim c where c.topic = lane order by c.from_position desc, c.n desc loop
      exit when one.at <= clock_timestamp() - period;
      jobs := jobs + one.jobs;
    end loop;
  end loop;
  return jobs;
end
$$;
