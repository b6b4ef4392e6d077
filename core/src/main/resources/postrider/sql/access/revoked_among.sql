-- which of these tokens are revoked. touches: revoked_token
select r.jti from postrider.revoked_token r where r.jti = any (:jtis::text[])
