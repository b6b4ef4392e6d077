-- search_path: any
select * from postrider.claimed(:topic, :after, :upto, :bytes)
