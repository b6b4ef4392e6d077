-- The dead letters that the transaction has in reach, like jobs_in_reach. A stack trace shows internals of the
-- application, so only transactions with reach 'all' see it.
create or replace view postrider.dead_letters_in_reach with (security_barrier) as
select d.id, d.listener, d.topic, d.position, d.event_id, d.type, d.key, d.project_id, d.user_id, d.aggregate_type,
  d.aggregate_id, d.payload, d.headers, d.created_at, d.attempts, d.error, d.died_at,
  case when (select current_setting('postrider.reach', true)) = 'all' then d.stack end as stack,
  d.error_code as last_error_code
from postrider.dead_letter d
where case (select current_setting('postrider.reach', true))
  when 'all' then true
  when 'project' then d.project_id = (select nullif(current_setting('postrider.project', true), ''))
  when 'user' then d.user_id = (select nullif(current_setting('postrider.user', true), ''))
    and (d.project_id is null or d.project_id = (select nullif(current_setting('postrider.project', true), '')))
  else false
end;
