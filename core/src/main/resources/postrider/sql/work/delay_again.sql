-- search_path: any
select postrider.delay_again(:topic, :position, :worker, :attempt, :why, :wait, :counted, :code, :error) as ours
