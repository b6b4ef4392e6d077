-- revokes a token. Compares its expiry as revoked.sql does.
-- gives: revoked; expired, it has already expired; full, there are more than every node could hold. touches: revoked_token
with held as (
  select count(*) as tokens, bool_or(r.jti = :jti) as this_one
  from postrider.revoked_token r
  where r.expires_at > clock_timestamp() - interval '2 minutes'
), written as (
  insert into postrider.revoked_token as r (jti, expires_at, why)
  select :jti, :expires_at, :why
  from held h
  where :expires_at > clock_timestamp() - interval '2 minutes' and (h.tokens < :most or h.this_one)
  on conflict (jti) do update set expires_at = greatest(r.expires_at, excluded.expires_at)
  returning 1
)
select case
  when exists (select from written) then 'revoked'
  when :expires_at > clock_timestamp() - interval '2 minutes' then 'full'
  else 'expired'
end as fate
