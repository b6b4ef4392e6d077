-- records that a table is bridged. It keeps what an earlier adoption has mirrored. touches: adoption
insert into postrider.adoption (source, state, topic, spec, imported_at)
values (:source, :state, :topic, :spec::jsonb, case when :state = 'emitting' then clock_timestamp() end)
on conflict (source) do update set state = excluded.state, spec = excluded.spec, imported_at = excluded.imported_at,
  import_mode = null, imported_to = null, bridged_at = clock_timestamp(), finished_at = null
