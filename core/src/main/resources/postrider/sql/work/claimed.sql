select * from postrider.claimed(:topic, :after, :upto, :bytes)
