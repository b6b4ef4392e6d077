-- one pass; see functions/sequence.sql
-- search_path: any
select s.n, s.events, s.topics, s.heads, s.low_id, s.high_id, s.more
from postrider.sequence(:most) s
