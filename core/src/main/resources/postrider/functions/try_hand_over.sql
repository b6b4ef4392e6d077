-- try_hand_over(n, topic, positions, why, attempts, crashes, error): calls hand_over(), but leaves a claim that cannot be handed
-- over unchanged, with a warning, so that it does not block the claims behind it.
--
-- gives    the number of jobs handed over
-- touches  what hand_over() touches
create or replace function postrider.try_hand_over(
  of_n          bigint,
  of_topic      text,
  of_positions  int8multirange,
  why           text,
  attempts      int,
  crashes       int,
  error         text)
returns bigint
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
as $$
begin
  return postrider.hand_over(of_n, of_topic, of_positions, why, attempts, crashes, error);
exception when data_exception or integrity_constraint_violation or program_limit_exceeded or sqlstate 'PR002' then
  raise warning 'claim % of % cannot be handed over: %', of_n, of_topic, sqlerrm;
  return 0;
end
$$;
