-- the properties of a server that are checked before anything is done on it
select current_setting('server_version_num')::int4 as version, current_setting('server_version') as version_text,
  pg_is_in_recovery() as standby,
  (select pg_encoding_to_char(d.encoding) from pg_database d where d.datname = current_database()) as encoding,
  not exists (
    select from pg_get_keywords() k where k.word = :schema and k.catcode <> 'U') as plain_schema,
  current_setting('transaction_read_only') = 'on' as read_only
