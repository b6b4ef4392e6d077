select distinct s.key from postrider.setback s where s.listener = :listener and s.key is not null
