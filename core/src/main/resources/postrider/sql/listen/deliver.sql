-- see functions/deliver.sql
-- search_path: any
select postrider.deliver(:listener, :from_position, :to_position, :events, :worker, :era, :tenure) as delivered
