-- what the test of a sink has found. touches: listener
update postrider.listener l
set tested_at = clock_timestamp(), test_found = :found, test_error = :error
where l.name = :listener
