-- a token is not to be believed any more. touches: revoked_token
insert into postrider.revoked_token as r (jti, expires_at, why)
values (:jti, :expires_at, :why)
on conflict (jti) do update set expires_at = greatest(r.expires_at, excluded.expires_at)
