select postrider.put_aside(:topic, :positions, :whys, :waits, :attempts::int[], array_fill(0, array[cardinality(:positions)]),
  :codes, :errors)::text as done
