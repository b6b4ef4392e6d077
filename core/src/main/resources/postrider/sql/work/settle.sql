select postrider.settle(:worker, :ns, :positions::int8multirange[], :fates, :results::jsonb[], :job, :topics) as settled
