-- the role that reads the event log of this database, if it exists
select r.rolname::text as role from pg_roles r where r.rolname = postrider.reader_role()
