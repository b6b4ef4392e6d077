-- search_path: any
select * from postrider.hand_over_next(:worker, :most_crashes, :after, :most)
