-- Functions whose arguments or columns have changed, as in V010: a delayed job is settled by the time of its claim. The new
-- argument has a default, so that nodes of the previous version can still call them during a rollout.
drop function if exists postrider.claim_delayed(text, text[], bigint, int, bigint, text[], int);
drop function if exists postrider.finish_delayed(text, bigint, bigint, int, text, jsonb);
drop function if exists postrider.delay_again(text, bigint, bigint, int, text, bigint, boolean, text, text, text);

-- Functions that have lost an argument which was always null, and one that only tests called.
drop function if exists postrider.crowd(text, bigint);
drop function if exists postrider.open_keys(text, bigint);
drop function if exists postrider.take_over(bigint, int);
