-- Reserved for another change of this release.
select 1;
