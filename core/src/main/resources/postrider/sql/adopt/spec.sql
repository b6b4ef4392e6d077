-- how a row becomes an event, as the trigger and the functions adopt_… read it. Absent values are left out
select (jsonb_strip_nulls(jsonb_build_object('source', :source::text, 'kind', :kind::text, 'topic', :topic::text, 'type', :type::text,
    'id_type', :id_type::text, 'id_sql', :id_sql::text, 'payload_type', :payload_type::text, 'lease', :lease::text,
    'order', :order::text, 'status_done', :status_done::text, 'status_failed', :status_failed::text))
  || jsonb_build_object('fields', jsonb_object(:fields::text[], :columns::text[]),
    'types', jsonb_object(:fields::text[], :types::text[]), 'local_times', to_jsonb(:local_times::text[]),
    'not_payload', to_jsonb(:not_payload::text[]), 'finished', to_jsonb(:finished::text[]),
    'in_progress', to_jsonb(:in_progress::text[])))::text as spec
