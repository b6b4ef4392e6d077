-- adopted_event_id(source, adopted_id): the id of the event that a row of an adopted table becomes, if its own id is not a uuid.
-- The same for every call: the first 16 bytes of the SHA-256 of "schema.table:id", marked as UUID version 8 (RFC 9562)
create or replace function postrider.adopted_event_id(source text, adopted_id text)
returns uuid
language plpgsql immutable strict parallel safe
set search_path = pg_catalog, pg_temp
set jit = off
as $$
declare
  hash bytea := substring(sha256(convert_to(source || ':' || adopted_id, 'UTF8')) from 1 for 16);
begin
  hash := set_byte(hash, 6, get_byte(hash, 6) & 15 | 128);
  hash := set_byte(hash, 8, get_byte(hash, 8) & 63 | 128);
  return encode(hash, 'hex')::uuid;
end
$$;
