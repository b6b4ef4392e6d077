-- one pass; see functions/sequence.sql. Without topics if there are many: if the server must send more than its buffer of 8 KB to a
-- client that has disconnected, it ends the session before the commit, and the next client would start the same long pass again
-- search_path: any
select s.n, s.events, s.low_id, s.high_id, s.more, t.topics, case when t.topics is not null then s.heads end as heads
from postrider.sequence(:most) s
cross join lateral (
  select case when pg_catalog.int4lt(pg_catalog.pg_column_size(s.topics), 1000) then s.topics end as topics) t
