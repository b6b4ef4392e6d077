select postrider.settle(:worker, :ns, :positions::int8multirange[], :fates, :results::jsonb[], :unless_cancelled) as settled
