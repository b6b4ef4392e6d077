-- end_intruders(): terminates the sessions of intruders().
--
-- gives    each intruder; ended: whether the signal was sent, which takes membership in its role or in pg_signal_backend. A session
--          stays until its statement checks for interrupts, and is listed again. A prepared transaction has no session to end
-- touches  what intruders() does
create or replace function postrider.end_intruders(
  out pid int, out gid text, out role text, out locked text, out ended boolean)
returns setof record
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
as $$
declare
  intruder record;
begin
  for intruder in select i.* from postrider.intruders() i loop
    pid := intruder.pid;
    gid := intruder.gid;
    role := intruder.role;
    locked := intruder.locked;
    begin
      ended := coalesce(pg_terminate_backend(intruder.pid), false);
    exception when insufficient_privilege then
      ended := false;
    end;
    return next;
  end loop;
end
$$;
