-- settings as a new session of this role has them, whatever this session has changed
select s.name, s.reset_val as setting, s.unit
from pg_settings s
where s.name = any (:names)
