package io.wellkeeper.testkit;

import io.wellkeeper.spi.TicketStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One schedule of something under faults, in simulated time and by one thread, as in {@link Simulation}. The same seed gives
 * the same run.
 */
abstract class SimulatedSchedule {

    private static final int ENDLESS = 50_000; // events

    final SplittableRandom random;
    final SimulatedTime time = new SimulatedTime();
    final InMemoryServer server = new InMemoryServer(time);
    final Preemption preemption;
    final List<SimulatedProcess> all = new ArrayList<>();
    private final List<String> words = new ArrayList<>();
    private @Nullable String wrong; // what was seen first
    private int events;

    /** @param longest for how long a thread is held up */
    SimulatedSchedule(long seed, Duration longest) {
        this.random = new SplittableRandom(seed);
        this.preemption = new Preemption(random, longest, new OtherThreads());
    }

    /** Those of the kinds of faults that befall one schedule: about a third. */
    static <T> List<T> some(SplittableRandom random, List<T> kinds) {
        return kinds.stream().filter(kind -> random.nextInt(3) == 0).toList();
    }

    /** Throws if something is wrong. */
    abstract void run();

    /** One of the users does something, or something befalls him. */
    abstract void step();

    /** Something has happened. */
    void look() {}

    /** A pause begins that may be longer than a session lasts. */
    void beginLongPause() {}

    /** What has happened. */
    List<String> words() {
        return words;
    }

    void note(String what) {
        words.add(String.format("%12.6f  %s  %s", time.nanoTime() / 1e9, what, serverInWords()));
    }

    /** What the server has, in words. */
    String serverInWords() {
        return server.leftovers().toString();
    }

    void note(String what, SimulatedProcess who) {
        note(what + " " + all.indexOf(who));
    }

    void fail(String what) {
        note("WRONG: " + what);
        wrong = wrong == null ? what : wrong;
    }

    void throwIfWrong() {
        if (wrong == null && !server.violations().isEmpty()) {
            fail(server.violations().toString());
        }
        if (wrong != null) {
            throw new AssertionError(wrong);
        }
    }

    /** How the store is to be, before there are clients: answers take so many nanoseconds at most. */
    void beSlow(int most) {
        if (random.nextInt(3) == 0) {
            server.tellApart();
        }
        int slow = random.nextInt(4) == 0 ? most : 4_000_000;
        server.delay(() -> Duration.ofNanos(random.nextInt(slow)));
    }

    SimulatedProcess newProcess() {
        return newProcess(store -> store);
    }

    /** @param bug what its store does wrong */
    SimulatedProcess newProcess(UnaryOperator<TicketStore> bug) {
        SimulatedProcess process = new SimulatedProcess(time, server, random, bug, preemption, this::fail);
        all.add(process);
        return process;
    }

    /** So many steps, with a pause after each. */
    void takeSteps(int count) {
        for (int i = 0; i < count; i++) {
            step();
            goOn();
        }
    }

    /** Threads are held up from now on, in one half of all schedules. */
    void beginPreemption() {
        if (random.nextBoolean()) {
            preemption.begin(1 << (3 + random.nextInt(6)));
        }
    }

    /** Lets some time pass: a few events, a while, or a long time. */
    abstract void goOn();

    /**
     * @param aWhile in milliseconds, at most
     * @param session twice as long lasts the longest time
     */
    void goOn(int aWhile, Duration session) {
        int how = random.nextInt(20);
        if (how < 12) {
            int most = random.nextInt(10);
            for (int i = 0; i < most && next(Duration.ofMillis(5)); i++) {}
        } else if (how < 18) {
            pass(Duration.ofMillis(random.nextInt(aWhile)));
        } else {
            beginLongPause();
            pass(session.multipliedBy(random.nextInt(200)).dividedBy(100));
        }
        throwIfWrong();
    }

    private boolean next(Duration within) {
        boolean more = time.advanceToNext(within);
        happened();
        return more;
    }

    private void happened() {
        if (++events > ENDLESS) {
            throw new AssertionError("it goes round in circles");
        }
        look();
    }

    void pass(Duration duration) {
        long end = time.nanoTime() + duration.toNanos();
        while (next(Duration.ofNanos(Math.max(0, end - time.nanoTime())))) {}
        time.advance(Duration.ofNanos(Math.max(0, end - time.nanoTime())));
    }

    static void toggle(boolean is, Runnable end, Runnable begin) {
        if (is) {
            end.run();
        } else {
            begin.run();
        }
    }

    /** Nothing befalls anybody any more, nor is anybody held up; those who live are well. */
    void healAll(List<SimulatedProcess> living) {
        note("heal");
        preemption.end();
        if (server.isFrozen()) {
            server.unfreeze();
        }
        for (SimulatedProcess process : living) {
            if (process.isPaused()) {
                process.resume();
            }
            if (process.isCut()) {
                process.mend();
            }
        }
    }

    void failIfAnyIsLeft(List<String> left) {
        if (!left.isEmpty()) {
            fail("left: " + left);
        }
    }

    void failIfTasksAreLeft(List<SimulatedProcess> living) {
        int pending = living.stream().mapToInt(SimulatedProcess::pending).sum();
        if (pending > 0) {
            fail("left: " + pending + " scheduled tasks");
        }
    }

    /** What the other threads do while one is held up. */
    private final class OtherThreads implements Preemption.Others {

        @Override
        public boolean next(Duration within) {
            boolean[] more = new boolean[1];
            server.tellingNothing(() -> more[0] = undisturbing(() -> time.interleave(within)));
            happened();
            return more[0];
        }

        /** What others do wrong does not befall the one that is held up. */
        private boolean undisturbing(BooleanSupplier work) {
            try {
                return work.getAsBoolean();
            } catch (RuntimeException | AssertionError thrown) {
                fail(thrown.toString());
                return false;
            }
        }

        @Override
        public void schedule(Duration delay, Runnable work) {
            time.schedule(delay, work);
        }

        @Override
        public void act(SimulatedProcess perhaps) {
            act();
        }

        @Override
        public void act() {
            happened();
            server.tellingNothing(() -> undisturbing(() -> {
                step();
                return true;
            }));
        }
    }
}
