-- the result of the test of a sink. touches: listener
update postrider.listener l
set tested_at = clock_timestamp(), test_found = :found, test_error = :error
where l.name = :listener
