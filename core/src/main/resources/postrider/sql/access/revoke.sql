-- a token is not to be believed any more. What would expire is compared as revoked.sql compares it.
-- gives: revoked; expired, it is past its time anyhow; full, there are so many that not every node could hold them. touches: revoked_token
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
