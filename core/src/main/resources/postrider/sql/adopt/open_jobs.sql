-- jobs of an adopted table whose outcome is not written back yet, after a number in the ledger. touches: adopted
select a.n, a.adopted_id, a.event_id
from postrider.adopted a
where a.source = :source and a.mirrored_at is null and a.how <> 'skip' and a.n > :after
order by a.n
limit :most
