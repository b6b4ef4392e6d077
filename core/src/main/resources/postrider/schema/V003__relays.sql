-- Relays: a listener that sends to a sink outside the database.

--   sink         what it sends to, as the sink describes itself; null for any other listener
--   course       counts its starting points: a reset begins another course, and what a sink has of an earlier one says nothing
--                about this one. Not the row of the ledger: ledgers are kept short, and that row goes
--   unavailable_since, unavailable_tries, unavailable_error, unavailable_until
--                the sink cannot be reached: since when, how often it was tried, why, and when it is tried again. Rewritten while
--                it lasts, at most every few tenths of a second; null when all is well
--   test_asked_at, tested_at, test_found, test_error
--                an operator wants to know whether the sink can be reached, and what the node that runs the relay found
alter table postrider.listener
  add column sink text,
  add column course bigint not null default 1,
  add column unavailable_since timestamptz,
  add column unavailable_tries int not null default 0,
  add column unavailable_error text,
  add column unavailable_until timestamptz,
  add column test_asked_at timestamptz,
  add column tested_at timestamptz,
  add column test_found text,
  add column test_error text;
