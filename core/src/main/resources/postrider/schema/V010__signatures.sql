-- Functions whose arguments or columns have changed, which "create or replace" cannot do. They are made again with the others.
drop function if exists postrider.end_intruders();
drop function if exists postrider.promise(xid8[], xid8[], xid8[], bigint, bigint, bigint, bigint, text[]);
drop function if exists postrider.place(bigint, text[], xid8[], bigint[]);
drop function if exists postrider.drain(bigint, int);
drop function if exists postrider.cancel(uuid, text);
drop function if exists postrider.find_job(uuid);
drop function if exists postrider.waiting(uuid);
drop function if exists postrider.release_unique(uuid[]);
