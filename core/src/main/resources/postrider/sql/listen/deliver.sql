-- see functions/deliver.sql
select postrider.deliver(:listener, :from_position, :to_position, :events, :worker, :era, :tenure) as delivered
