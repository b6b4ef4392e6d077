-- search_path: any
select * from postrider.hand_over_undone(:worker, :after, :most)
