-- which of these tokens are not to be believed any more. touches: revoked_token
select r.jti from postrider.revoked_token r where r.jti = any (:jtis::text[])
