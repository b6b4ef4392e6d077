-- try_hand_over(n, topic, positions, why, attempts, crashes, error): hand_over(), but a claim that cannot be handed over is left as
-- it is, with a warning: it must not hold up the claims behind it.
--
-- gives    how many jobs were handed over
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
