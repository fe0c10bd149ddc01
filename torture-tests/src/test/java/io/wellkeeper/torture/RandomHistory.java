package io.wellkeeper.torture;

import io.wellkeeper.torture.Event.Kind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;

/** Histories by chance: of a lock that works, or of one that does whatever it likes. */
final class RandomHistory {

    private static final List<FaultKind> KINDS =
            List.of(FaultKind.KILL, FaultKind.PAUSE, FaultKind.PAUSE, FaultKind.SILENCE, FaultKind.CUT);

    private final Random random;
    private final Lock lock;
    private final Scenario history;

    RandomHistory(long seed) {
        random = new Random(seed);
        lock = List.of(Lock.mutex("m", true), Lock.readWrite("rw"), Lock.semaphore("s", 3))
                .get(random.nextInt(3));
        history = new Scenario(lock);
    }

    /**
     * A lock that lets in whoever has waited longest as soon as it can.
     *
     * @param sections how many
     */
    Scenario sound(int sections) {
        long[] free = new long[lock.permits()]; // when each permit comes back, at the earliest
        long now = 1;
        for (int i = 1; i <= sections; i++) {
            long asked = now + random.nextInt(3);
            int permits = permits();
            PriorityQueue<Long> soonest = new PriorityQueue<>();
            for (long time : free) {
                soonest.add(time);
            }
            long granted = asked;
            for (int permit = 0; permit < permits; permit++) {
                granted = Math.max(granted, soonest.remove());
            }
            long end = granted + 1 + random.nextInt(4);
            history.request(asked, 1 + i % 3, i, lock, permits, -1)
                    .event(granted, Kind.GRANTED, 1 + i % 3, i, i)
                    .event(granted, Kind.HELD, 1 + i % 3, i, 1)
                    .event(end, Kind.RELEASE, 1 + i % 3, i)
                    .event(end, Kind.RELEASED, 1 + i % 3, i, 1);
            for (int permit = 0, taken = 0; taken < permits; permit++) {
                if (free[permit] <= granted) {
                    free[permit] = end;
                    taken++;
                }
            }
            now = granted; // strictly in order
        }
        return history;
    }

    /**
     * Anything may happen at any time.
     *
     * @param sections how many
     */
    Scenario wild(int sections) {
        int length = 20 + random.nextInt(30);
        List<Integer> tokens = new ArrayList<>();
        for (int i = 1; i <= sections; i++) {
            tokens.add(random.nextInt(20) == 0 ? i - 1 : i);
        }
        if (random.nextBoolean()) {
            Collections.shuffle(tokens, random);
        }
        long asked = 1;
        for (int i = 1; i <= sections; i++) {
            int process = 1 + random.nextInt(3);
            asked = random.nextInt(3) > 0 ? asked + random.nextInt(4) : random.nextInt(length);
            long granted = asked + random.nextInt(random.nextBoolean() ? 3 : 12);
            history.request(asked, process, i, lock, permits(), random.nextInt(4) > 0 ? -1 : random.nextInt(30));
            if (random.nextInt(6) == 0) {
                history.event(asked + random.nextInt(3), Kind.INTERRUPT, process, i);
                granted += random.nextInt(2) * 12;
            }
            if (random.nextInt(5) == 0) {
                Kind end = List.of(Kind.GAVE_UP, Kind.INTERRUPTED, Kind.FAILED).get(random.nextInt(3));
                history.event(granted, end, process, i);
                continue;
            }
            history.event(granted, Kind.GRANTED, process, i, tokens.get(i - 1));
            if (random.nextInt(6) > 0) {
                long answer = random.nextInt(6) > 0 ? 0 : random.nextInt(12) * Scenario.UNIT;
                history.at(
                        granted + random.nextInt(3), Kind.HELD, process, i, "-", random.nextInt(8) > 0 ? 1 : 0, answer);
            }
            history.at(
                    granted,
                    random.nextInt(9) > 0 ? Kind.ACCEPTED : Kind.REFUSED,
                    process,
                    i,
                    lock.name(),
                    tokens.get(i - 1),
                    0);
            if (random.nextInt(4) == 0) {
                history.at(
                        granted + random.nextInt(9),
                        random.nextInt(9) > 0 ? Kind.FENCED : Kind.FENCED_OFF,
                        process,
                        i,
                        lock.name(),
                        tokens.get(i - 1),
                        random.nextInt(4) * Scenario.UNIT);
            }
            long end = granted + random.nextInt(random.nextInt(3) > 0 ? 4 : 20);
            if (random.nextInt(5) == 0) {
                history.event(end - 2 + random.nextInt(5), Kind.LOST, process, i);
            }
            if (random.nextInt(40) == 0) {
                continue; // stays
            }
            history.event(end, Kind.RELEASE, process, i)
                    .event(end, Kind.RELEASED, process, i, random.nextInt(6) > 0 ? 1 : 0);
            asked = random.nextBoolean() ? end : asked;
        }
        if (random.nextInt(3) == 0) {
            long stalled = (1 + random.nextInt(8)) * Scenario.UNIT;
            history.at(random.nextInt(length), Kind.STALLED, random.nextInt(4), 0, "-", stalled, 0);
        }
        for (int id = 1; id <= random.nextInt(4); id++) {
            long from = random.nextInt(length / 2);
            history.fault(
                    from, from + random.nextInt(12), random.nextInt(4), id, KINDS.get(random.nextInt(KINDS.size())));
        }
        return history;
    }

    private int permits() {
        return switch (lock.primitive()) {
            case MUTEX -> 1;
            case READ_WRITE -> random.nextBoolean() ? 1 : lock.permits();
            case SEMAPHORE -> 1 + random.nextInt(lock.permits());
        };
    }
}
