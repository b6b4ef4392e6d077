-- the tokens revoked last that could still be accepted: clocks differ, and a token is accepted for a moment after its expiry.
-- touches: revoked_token
select r.jti, r.expires_at, r.revoked_at, r.why
from postrider.revoked_token r
where r.expires_at > clock_timestamp() - interval '2 minutes'
order by r.revoked_at desc
limit :most
