-- the tokens that were revoked last and may still be believed: clocks differ, and a token is believed for a moment after its time.
-- touches: revoked_token
select r.jti, r.expires_at, r.revoked_at, r.why
from postrider.revoked_token r
where r.expires_at > clock_timestamp() - interval '2 minutes'
order by r.revoked_at desc
limit :most
