-- search_path: any
select postrider.may_settle(:topic, :position, :job) as settled
