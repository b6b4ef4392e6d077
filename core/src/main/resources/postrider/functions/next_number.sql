-- next_number(sequence, above): draws a number from a sequence of this schema that is greater than every number in use.
--
-- A sequence that was set back gives the same numbers again: a ledger's newest row would not be its last, and two
-- claims would share their settlements. This function advances such a sequence past the number in use and logs a warning.
--
-- takes    of_sequence: its name without the schema. above: the greatest number in use
-- gives    the number
-- touches  the sequence. Without the right to set it (UPDATE), numbers are drawn until one is large enough: 0.2 µs each
-- locks    only if the sequence was set back: an advisory lock, so that one caller advances it and the others see the result
create or replace function postrider.next_number(of_sequence text, above bigint)
returns bigint
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
as $$
declare
  sequence  regclass := 'postrider.' || quote_ident(of_sequence);
  number    bigint := nextval(sequence);
begin
  if number > above or above is null then
    return number;
  end if;
  perform pg_advisory_xact_lock('postrider.segment'::regclass::oid::int4, 2);
  number := nextval(sequence);
  if number <= above then
    raise warning 'sequence % was set back: it is at %, but % is in use; it is advanced', of_sequence, number, above;
    if has_sequence_privilege(sequence, 'update') then
      perform setval(sequence, above + 1000);
      return nextval(sequence);
    end if;
    while number <= above loop
      number := nextval(sequence);
    end loop;
  end if;
  return number;
end
$$;
