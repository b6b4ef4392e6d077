-- how many tables and indexes a statement on the log locks, and how many locks the server has room for. touches: the catalogue
select count(distinct h.inhrelid) + count(distinct i.indexrelid) as needed,
  current_setting('max_locks_per_transaction')::int8
    * (current_setting('max_connections')::int8 + current_setting('max_prepared_transactions')::int8) as room
from pg_inherits h
left join pg_index i on i.indrelid = h.inhrelid
where h.inhparent in ('postrider.event'::regclass, 'postrider.log'::regclass)
