-- search_path: any
select postrider.give_back(:queue, :worker, :ns, :topics, :positions) as given
