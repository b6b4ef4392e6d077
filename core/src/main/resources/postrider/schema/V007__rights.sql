-- Privileges, and indexes for job lookups.

-- Has no rows. sequence() locks it, so that passes are serial. Only a role with privileges on a table may lock it. Any role may
-- take an advisory lock, and one session that held it stopped sequencing.
create table postrider.sequencing ();

-- A unique key belongs to its queue and its project: one project cannot hold another's. Only the owner reads or writes the table;
-- producers enqueue through a function with the owner's rights.
alter table postrider.unique_job add column project_id text collate "C" not null default '';
update postrider.unique_job u set project_id = d.project_id
from postrider.delayed d
where d.event_id = u.event_id and d.project_id is not null;
update postrider.unique_job u set project_id = e.project_id
from postrider.event e
where e.event_id = u.event_id and e.topic >= 'queue:' and e.topic < 'queue;' and e.project_id is not null and u.project_id = '';
alter table postrider.unique_job
  drop constraint unique_job_pkey,
  add primary key (queue, project_id, unique_key);

-- Earlier versions told operators to grant producers rights on it.
do $$
declare
  grantee record;
begin
  for grantee in
    select distinct a.grantee as id, r.rolname as name
    from pg_class c
    cross join lateral aclexplode(c.relacl) a
    left join pg_roles r on r.oid = a.grantee
    where c.oid = 'postrider.unique_job'::regclass and a.grantee <> c.relowner
  loop
    execute format('revoke all on postrider.unique_job from %s',
      case grantee.id when 0 then 'public' else quote_ident(grantee.name) end);
  end loop;
end
$$;

-- Replaced by may_settle().
drop function if exists postrider.has_cancellation(text, bigint);

-- Finished and cancelled jobs release their key by their id. Without an index each such statement read the whole table, and with
-- enable_seqscan = off its cost estimate was so high that JIT compiled it each time: 114 ms instead of 0.5.
create index unique_job_event on postrider.unique_job (event_id);
