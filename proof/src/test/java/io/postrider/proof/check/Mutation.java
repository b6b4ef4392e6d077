package io.postrider.proof.check;

import io.postrider.proof.check.Violation.Kind;
import io.postrider.proof.history.EmittedEvent;
import io.postrider.proof.history.History;
import io.postrider.proof.history.KeyVersion;
import io.postrider.proof.history.ListenerHistory;
import io.postrider.proof.history.Outcome;
import io.postrider.proof.history.Readings;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/** One way of spoiling a good history by chance, and what the checker must say of it. */
public enum Mutation {
    DROP_FROM_LOG(Kind.LOST) {
        @Override
        public History spoil(SimulatedWorld world, Random random) {
            // Not one of unknown outcome: without it in the log, nobody could tell that it committed.
            int[] owners = owners(world);
            int[] known = IntStream.range(0, owners.length)
                    .filter(i -> world.transactions().get(owners[i]).commit().outcome() == Outcome.COMMITTED)
                    .toArray();
            log(world).remove(pick(known, random));
            return world.history(random);
        }
    },
    LEAVE_A_HOLE(Kind.HOLE) {
        @Override
        public History spoil(SimulatedWorld world, Random random) {
            log(world).add(random.nextInt(log(world).size()), null);
            return world.history(random);
        }
    },
    REPEAT_IN_LOG(Kind.DUPLICATE) {
        @Override
        public History spoil(SimulatedWorld world, Random random) {
            List<UUID> log = log(world);
            log.add(random.nextInt(log.size() + 1), log.get(random.nextInt(log.size())));
            return world.history(random);
        }
    },
    SEQUENCE_A_ROLLED_BACK_EVENT(Kind.ABORTED_READ) {
        @Override
        public History spoil(SimulatedWorld world, Random random) {
            List<UUID> aborted = world.transactions().stream()
                    .flatMap(t -> t.events().stream()
                            .filter(e -> e.undone() || t.commit().outcome() == Outcome.ABORTED))
                    .map(EmittedEvent::event)
                    .toList();
            log(world).add(random.nextInt(log(world).size() + 1), aborted.get(pick(aborted.size(), random)));
            return world.history(random);
        }
    },
    TEAR_A_TRANSACTION(Kind.TORN) {
        @Override
        public History spoil(SimulatedWorld world, Random random) {
            // The last of several events of one transaction goes to the far end of the log.
            List<UUID> log = log(world);
            int[] owners = owners(world);
            int[] seconds = IntStream.range(1, log.size())
                    .filter(i -> owners[i] == owners[i - 1])
                    .toArray();
            int at = pick(seconds, random);
            boolean toTheEnd = owners[log.size() - 1] != owners[at];
            log.add(toTheEnd ? log.size() - 1 : 0, log.remove(at));
            return world.history(random);
        }
    },
    TURN_A_TRANSACTION_ROUND(Kind.TORN) {
        @Override
        public History spoil(SimulatedWorld world, Random random) {
            int[] owners = owners(world);
            int[] firsts = IntStream.range(1, owners.length)
                    .filter(i -> owners[i] == owners[i - 1])
                    .toArray();
            int at = pick(firsts, random);
            swap(log(world), at, at - 1);
            return world.history(random);
        }
    },
    PUT_A_KEY_OUT_OF_ORDER(Kind.KEY_ORDER) {
        @Override
        public History spoil(SimulatedWorld world, Random random) {
            // Exchanges two events of one key that two transactions emitted under its lock.
            List<EmittedEvent> events = events(world);
            List<int[]> pairs = new ArrayList<>();
            int[] owners = owners(world);
            for (int i = 0; i < owners.length; i++) {
                for (int j = i + 1; j < owners.length; j++) {
                    KeyVersion one = events.get(i).key();
                    KeyVersion other = events.get(j).key();
                    if (owners[i] != owners[j]
                            && one.key().equals(other.key())
                            && one.version() * other.version() > 0) {
                        pairs.add(new int[] {i, j});
                    }
                }
            }
            int[] pair = pairs.get(pick(pairs.size(), random));
            swap(log(world), pair[0], pair[1]);
            return world.history(random);
        }
    },
    PUT_EFFECT_BEFORE_CAUSE(Kind.CAUSAL) {
        @Override
        public History spoil(SimulatedWorld world, Random random) {
            // An event that could see the first one's commit goes before it.
            List<EmittedEvent> events = events(world);
            int[] owners = owners(world);
            int[] effects = IntStream.range(1, owners.length)
                    .filter(i -> owners[i] != owners[0] && sees(world, events.get(i), owners[0]))
                    .toArray();
            int effect = pick(effects, random);
            log(world).add(0, log(world).remove(effect));
            return world.history(random);
        }
    },
    EXCHANGE_IN_LOG_AFTER_READING(Kind.POSITION_CONFLICT) {
        @Override
        public History spoil(SimulatedWorld world, Random random) {
            List<ListenerHistory> listeners = world.history(random).listeners();
            int size = log(world).size();
            int one = random.nextInt(size);
            swap(log(world), one, (one + 1 + random.nextInt(size - 1)) % size);
            return new History(world.transactions(), world.silent().logs(), listeners);
        }
    },
    LISTENER_PASSES_OVER(Kind.LOST) {
        @Override
        public History spoil(SimulatedWorld world, Random random) {
            long gone = 1L + random.nextInt(log(world).size() - 1);
            return withRelay(world, random, rows -> filter(rows, row -> row.position != gone));
        }
    },
    LISTENER_COMES_BACK_LATER(Kind.SKIP) {
        @Override
        public History spoil(SimulatedWorld world, Random random) {
            long gone = 1L + random.nextInt(log(world).size() - 1);
            return withRelay(world, random, rows -> {
                List<Row> changed = filter(rows, row -> row.position != gone);
                Row first = rows.stream()
                        .filter(row -> row.position == gone)
                        .findFirst()
                        .orElseThrow();
                int newAttempt = rows.get(rows.size() - 1).attempt + 1;
                changed.add(new Row(first.position, first.event, newAttempt, rows.get(rows.size() - 1).at));
                return changed;
            });
        }
    },
    LISTENER_GOES_BACK(Kind.BACKWARDS) {
        @Override
        public History spoil(SimulatedWorld world, Random random) {
            return withRelay(world, random, rows -> {
                List<Row> changed = new ArrayList<>(rows);
                int at = random.nextInt(rows.size());
                changed.add(at + 1, rows.get(at));
                return changed;
            });
        }
    },
    LISTENER_STOPS_EARLY(Kind.UNSEEN_AT_END) {
        @Override
        public History spoil(SimulatedWorld world, Random random) {
            long last = random.nextInt(log(world).size());
            return withRelay(world, random, rows -> filter(rows, row -> row.position <= last));
        }
    },
    LISTENER_IS_TOO_EARLY(Kind.PRE_COMMITTED_READ) {
        @Override
        public History spoil(SimulatedWorld world, Random random) {
            return withRelay(world, random, rows -> {
                List<Row> changed = new ArrayList<>(rows);
                int at = random.nextInt(rows.size());
                Row row = rows.get(at);
                changed.set(at, new Row(row.position, row.event, row.attempt, Long.MIN_VALUE / 2));
                return changed;
            });
        }
    },
    LISTENER_SEES_ANOTHER(Kind.POSITION_CONFLICT) {
        @Override
        public History spoil(SimulatedWorld world, Random random) {
            return withRelay(world, random, rows -> {
                List<Row> changed = new ArrayList<>(rows);
                int at = random.nextInt(rows.size());
                Row row = rows.get(at);
                UUID other = log(world).get((int) (row.position % log(world).size()));
                changed.set(at, new Row(row.position, other, row.attempt, row.at));
                return changed;
            });
        }
    },
    EFFECT_HAPPENS_TWICE(Kind.DUPLICATE) {
        @Override
        public History spoil(SimulatedWorld world, Random random) {
            return withEffects(world, random, rows -> {
                List<Row> changed = new ArrayList<>(rows);
                changed.add(random.nextInt(rows.size() + 1), rows.get(random.nextInt(rows.size())));
                return changed;
            });
        }
    },
    EFFECT_IS_MISSING(Kind.LOST, Kind.UNSEEN_AT_END) {
        @Override
        public History spoil(SimulatedWorld world, Random random) {
            long gone = 1L + random.nextInt(log(world).size());
            return withEffects(world, random, rows -> filter(rows, row -> row.position != gone));
        }
    },
    EFFECTS_OUT_OF_ORDER(Kind.BACKWARDS) {
        @Override
        public History spoil(SimulatedWorld world, Random random) {
            return withEffects(world, random, rows -> {
                List<Row> changed = new ArrayList<>(rows);
                int at = random.nextInt(rows.size() - 1);
                changed.add(at, changed.remove(at + 1));
                return changed;
            });
        }
    };

    private final Kind expected;
    private final Kind orElse;

    Mutation(Kind expected) {
        this(expected, expected);
    }

    Mutation(Kind expected, Kind orElse) {
        this.expected = expected;
        this.orElse = orElse;
    }

    /** One of these kinds must be found. */
    Set<Kind> expected() {
        return EnumSet.of(expected, orElse);
    }

    /** The world spoilt, or nothing if it has nothing of the kind to spoil. */
    public Optional<History> on(SimulatedWorld world, Random random) {
        try {
            return Optional.of(spoil(world, random));
        } catch (NothingToSpoil e) {
            return Optional.empty();
        }
    }

    public abstract History spoil(SimulatedWorld world, Random random);

    private static int pick(int[] choices, Random random) {
        return choices[pick(choices.length, random)];
    }

    private static int pick(int choices, Random random) {
        if (choices == 0) {
            throw new NothingToSpoil();
        }
        return random.nextInt(choices);
    }

    private static final class NothingToSpoil extends RuntimeException {}

    private static List<UUID> log(SimulatedWorld world) {
        return world.log("orders");
    }

    private static void swap(List<UUID> log, int one, int other) {
        log.set(one, log.set(other, log.get(one)));
    }

    /** The events of the log as they were emitted. */
    private static List<EmittedEvent> events(SimulatedWorld world) {
        List<EmittedEvent> all =
                world.transactions().stream().flatMap(t -> t.events().stream()).toList();
        return log(world).stream()
                .map(id -> all.stream()
                        .filter(e -> e.event().equals(id))
                        .findFirst()
                        .orElseThrow())
                .toList();
    }

    /** The transactions of the log's events, as indexes. */
    private static int[] owners(SimulatedWorld world) {
        return events(world).stream()
                .mapToInt(event -> IntStream.range(0, world.transactions().size())
                        .filter(t -> world.transactions().get(t).events().contains(event))
                        .findFirst()
                        .orElseThrow())
                .toArray();
    }

    private static boolean sees(SimulatedWorld world, EmittedEvent event, int owner) {
        return NaiveOrder.sees(event, world.transactions().get(owner));
    }

    private record Row(long position, UUID event, int attempt, long at) {}

    private static List<Row> filter(List<Row> rows, Predicate<Row> kept) {
        return new ArrayList<>(rows.stream().filter(kept).toList());
    }

    private static History withRelay(SimulatedWorld world, Random random, UnaryOperator<List<Row>> change) {
        return withListener(
                world,
                random,
                "relay-orders",
                listening -> new ListenerHistory(
                        listening.reader(), true, change(listening.handled(), change), Optional.empty()));
    }

    private static History withEffects(SimulatedWorld world, Random random, UnaryOperator<List<Row>> change) {
        return withListener(
                world,
                random,
                "account-orders",
                listening -> new ListenerHistory(
                        listening.reader(),
                        true,
                        listening.handled(),
                        listening.effects().map(e -> change(e, change))));
    }

    private static History withListener(
            SimulatedWorld world, Random random, String name, UnaryOperator<ListenerHistory> change) {
        History history = world.history(random);
        List<ListenerHistory> listeners = history.listeners().stream()
                .map(l -> l.reader().name().equals(name) ? change.apply(l) : l)
                .toList();
        return new History(history.transactions(), history.logs(), listeners);
    }

    private static Readings change(Readings readings, UnaryOperator<List<Row>> change) {
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < readings.size(); i++) {
            rows.add(new Row(readings.position(i), readings.event(i), readings.attempt(i), readings.at(i)));
        }
        Readings.Collector changed = new Readings.Collector();
        change.apply(rows).forEach(row -> changed.add(row.position, row.event, row.attempt, row.at));
        return changed.collected();
    }
}
