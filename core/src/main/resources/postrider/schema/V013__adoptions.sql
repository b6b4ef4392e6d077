-- Reserved for adoptions.
select 1;
