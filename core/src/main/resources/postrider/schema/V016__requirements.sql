-- Reserved: the content of this version is added by the change that needs it.
select 1;
