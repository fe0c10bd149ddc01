package io.wellkeeper.torture;

import io.wellkeeper.torture.Event.Kind;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * A history as a run leaves it, made up: workers of several threads that contend for locks, a fault every second, and now and
 * then somebody who is let in too early.
 */
final class BusyHistory {

    static final List<Lock> LOCKS = List.of(
            Lock.mutex("shop/strict", true),
            Lock.mutex("shop/family", false),
            Lock.readWrite("shop/book"),
            Lock.semaphore("shop/pool", 3));

    private static final long BEGIN = TimeUnit.HOURS.toNanos(3);
    private static final long MILLISECOND = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long SESSION = 2 * SECOND;
    private static final int WORKERS = 3;
    private static final int THREADS = 4;

    /** Somebody who visits one lock after another. */
    private static final class Visitor {

        private final int worker;
        private long time = BEGIN + MILLISECOND;

        Visitor(int worker) {
            this.worker = worker;
        }
    }

    private final Random random = new Random(22);
    private final BufferedWriter out;
    private final int[] processes = new int[WORKERS];
    private final long[] free = new long[LOCKS.size()]; // when the next one may come in
    private int started;
    private long op;
    private long events;

    private BusyHistory(BufferedWriter out) {
        this.out = out;
    }

    /**
     * Writes it.
     *
     * @param directory of the run
     * @param acquisitions how many
     * @param early every how many of them comes in too early; 0: none
     * @return how many events it has
     */
    static long write(Path directory, int acquisitions, int early) throws IOException {
        try (BufferedWriter out = Files.newBufferedWriter(directory.resolve("busy.history"))) {
            BusyHistory history = new BusyHistory(out);
            history.write(acquisitions, early);
            return history.events;
        }
    }

    private void write(int acquisitions, int early) throws IOException {
        say(BEGIN, Kind.SETTING, 0, 0, Run.SESSION_TIMEOUT, SESSION, 0);
        say(BEGIN, Kind.SETTING, 0, 0, Run.BOUND, SESSION, 0);
        for (Lock lock : LOCKS) {
            say(BEGIN, Kind.LOCK, 0, 0, lock.name(), lock.permits(), lock.flags());
        }
        say(BEGIN, Kind.PHASE, 0, 0, "warm-up", 0, 0);
        PriorityQueue<Visitor> visitors = new PriorityQueue<>(Comparator.comparingLong(visitor -> visitor.time));
        for (int worker = 0; worker < WORKERS; worker++) {
            start(BEGIN, worker);
            for (int thread = 0; thread < THREADS; thread++) {
                visitors.add(new Visitor(worker));
            }
        }
        long nextFault = BEGIN + SECOND;
        long time = BEGIN;
        for (int i = 1; i <= acquisitions; i++) {
            Visitor visitor = visitors.remove();
            time = visitor.time;
            if (time > nextFault) {
                if (nextFault == BEGIN + SECOND) {
                    say(nextFault, Kind.PHASE, 0, 0, "faults", 0, 0);
                }
                fault(nextFault, (int) ((nextFault - BEGIN) / SECOND), visitors);
                nextFault += SECOND;
            }
            visit(visitor, early > 0 && i % early == 0);
            visitors.add(visitor);
        }
        say(time + SECOND, Kind.PHASE, 0, 0, "drain", 0, 0);
        for (int worker = 0; worker < WORKERS; worker++) {
            say(time + 2 * SECOND, Kind.GONE, processes[worker], 0, "-", 0, 0);
        }
    }

    private void start(long time, int worker) throws IOException {
        processes[worker] = ++started;
        say(time, Kind.STARTED, started, 0, "torture-" + started, 4_000 + started, 0);
    }

    /** Every other one is a kill, whose visitors go on in a new process; the others stand still for a while. */
    private void fault(long time, int number, PriorityQueue<Visitor> visitors) throws IOException {
        int worker = number % WORKERS;
        int process = processes[worker];
        String kind = (number % 2 == 0 ? FaultKind.KILL : FaultKind.PAUSE).word();
        long length = 300 * MILLISECOND;
        say(time, Kind.FAULT, process, number, kind, 0, 0);
        say(time + 1, Kind.STRUCK, process, number, kind, 0, 0);
        if (kind.equals(FaultKind.KILL.word())) {
            say(time + 1, Kind.GONE, process, 0, "-", 1, 0);
            start(time + length, worker);
        }
        say(time + length, Kind.HEALING, process, number, kind, 0, 0);
        say(time + length + 1, Kind.HEALED, process, number, kind, 0, 0);
        List<Visitor> own =
                visitors.stream().filter(visitor -> visitor.worker == worker).toList();
        for (Visitor visitor : own) {
            visitors.remove(visitor);
            visitor.time = Math.max(visitor.time, time + length + MILLISECOND);
            visitors.add(visitor);
        }
    }

    private void visit(Visitor visitor, boolean early) throws IOException {
        int at = random.nextInt(LOCKS.size());
        Lock lock = LOCKS.get(at);
        int process = processes[visitor.worker];
        long granted = Math.max(visitor.time, free[at] - (early ? MILLISECOND / 2 : 0)) + MILLISECOND / 20;
        long release = granted + MILLISECOND + random.nextInt((int) (4 * MILLISECOND));
        long id = ++op;
        say(visitor.time, Kind.REQUEST, process, id, lock.name(), lock.permits(), -1);
        say(granted, Kind.GRANTED, process, id, "-", id, 0);
        say(granted + 1, Kind.HELD, process, id, "-", 1, 900);
        say(granted + 2, Kind.ACCEPTED, process, id, lock.name(), id, 0);
        say(release - 1, Kind.HELD, process, id, "-", 1, 900);
        say(release, Kind.RELEASE, process, id, "-", 0, 0);
        say(release + MILLISECOND / 10, Kind.RELEASED, process, id, "-", 1, 0);
        free[at] = Math.max(free[at], release);
        visitor.time = release + MILLISECOND / 5 + random.nextInt((int) (20 * MILLISECOND));
    }

    private void say(long time, Kind kind, int process, long number, String what, long a, long b) throws IOException {
        out.write(new Event(time, kind, process, number, what, a, b).line());
        out.write('\n');
        events++;
    }
}
