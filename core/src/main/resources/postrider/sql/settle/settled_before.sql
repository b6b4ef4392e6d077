-- whether this claim of a delayed job was settled before with this fate: by a commit whose answer was lost. A job that was
-- delayed again may have been claimed again since, and may even be finished: then its row is younger than this claim. A worker that is
-- present and not taken over loses a claim only by settling it.
-- touches: finish, dead_letter, delayed, worker, presence
select case :fate
  when 'dead' then exists (
    select from postrider.dead_letter x
    where x.listener = :topic and x.position = :position and x.attempts = :attempt and x.error_code = :code
    and x.died_at >= :claimed_at)
  when 'aside' then
    exists (select from postrider.worker w where w.id = :worker and w.ended_at is null)
    and postrider.is_present(:worker)
    and (
      exists (
        select from postrider.delayed d
        where d.topic = :topic and d.position = :position and d.claimed_at >= :claimed_at)
      or exists (
        select from postrider.finish f
        where f.topic = :topic and f.position = :position and f.claimed_at > :claimed_at))
  else exists (
    select from postrider.finish f
    where f.topic = :topic and f.position = :position and f.worker = :worker and f.claimed_at = :claimed_at
    and f.fate = :fate)
end as settled
