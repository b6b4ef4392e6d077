select postrider.put_aside(:topic, :positions::bigint[], :whys::text[], :waits::bigint[], :attempts::int[],
  array_fill(0, array[cardinality(:positions::bigint[])]), :codes::text[], :errors::text[], :stacks::text[])::text as done
