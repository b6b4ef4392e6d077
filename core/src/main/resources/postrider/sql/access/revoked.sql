-- the tokens that were revoked last and have not expired. touches: revoked_token
select r.jti, r.expires_at, r.revoked_at, r.why
from postrider.revoked_token r
where r.expires_at > clock_timestamp()
order by r.revoked_at desc
limit :most
