-- next_number(sequence, above): draws from a sequence of this schema a number that is greater than one that is in use.
--
-- A sequence that somebody has set back gives numbers for the second time: a ledger's newest row would not be its last, and two
-- claims would share their settlements. Such a sequence is moved on past the number in use; the log of the server says so.
--
-- takes    of_sequence: its name without the schema. above: the greatest number that is in use
-- gives    the number
-- touches  the sequence. Without the right to set it (UPDATE), numbers are drawn until one is great enough: 0.2 µs each
-- locks    only if the sequence was set back: an advisory lock, so that one moves it on and the others see that it has been
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
    raise warning 'sequence % was set back: it is at %, and % is in use; it is moved on', of_sequence, number, above;
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
