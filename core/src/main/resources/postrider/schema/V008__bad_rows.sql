-- Values that an event may not hold, and what a failure leaves behind.

-- ── numbers that are short as stored and long as text ───────────────────────────────────────────────────────────────
-- jsonb stores 1e131071 in 12 bytes and writes it as 131,072 digits. The caps on payloads and headers measure the text, because
-- that is what readers receive, so this check must come first: the constraints of a domain are checked in the order of their
-- names. It stops at the first number beyond 1e1500; 7,500 of them are refused in 0.3 ms instead of 12 s and 2.9 GB.
--
-- A value of at most 16 KiB holds about 1,000 numbers and cannot become longer than 134 MB, so it needs no look at its numbers:
-- the check takes 0.3 µs then. A larger one takes about 50 µs for 10 KiB. #> '{}' gives the value uncompressed: one that comes from
-- another table may be stored compressed.
alter domain postrider.event_payload drop constraint if exists digits_are_bounded;
alter domain postrider.event_payload add constraint digits_are_bounded
  check (pg_column_size(value #> '{}'::text[]) <= 16384
    or (value @@ '$.**{last} > 1e1500 || $.**{last} < -1e1500'::jsonpath) is not true) not valid;
alter domain postrider.event_headers drop constraint if exists digits_are_bounded;
alter domain postrider.event_headers add constraint digits_are_bounded
  check (pg_column_size(value #> '{}'::text[]) <= 16384
    or (value @@ '$.**{last} > 1e1500 || $.**{last} < -1e1500'::jsonpath) is not true) not valid;
