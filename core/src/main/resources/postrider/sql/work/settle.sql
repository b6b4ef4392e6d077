select postrider.settle(:worker, :ns, :positions::int8multirange[], :fates, :results::jsonb[], :job) as settled
