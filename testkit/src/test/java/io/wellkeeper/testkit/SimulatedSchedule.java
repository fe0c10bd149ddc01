package io.wellkeeper.testkit;

import io.wellkeeper.spi.TicketStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One schedule of something under faults, in simulated time and by one thread, as in {@link Simulation}. The same seed gives
 * the same run.
 */
abstract class SimulatedSchedule {

    private static final Pattern SIZE = Pattern.compile("(?:.*&)?size=(\\d+).*");
    private static final int ENDLESS = 50_000; // events

    final SplittableRandom random;
    final SimulatedTime time = new SimulatedTime();
    final InMemoryServer server = new InMemoryServer(time);
    final Preemption preemption;
    final List<SimulatedProcess> all = new ArrayList<>();
    private final List<String> words = new ArrayList<>();
    private @Nullable String wrong; // the first failure that was seen
    private int events;

    /** @param longest for how long a thread is held up at most */
    SimulatedSchedule(long seed, Duration longest) {
        this.random = new SplittableRandom(seed);
        this.preemption = new Preemption(random, longest, new OtherThreads());
    }

    /** Chooses about a third of the kinds of faults, for one schedule. */
    static <T> List<T> some(SplittableRandom random, List<T> kinds) {
        return kinds.stream().filter(kind -> random.nextInt(3) == 0).toList();
    }

    /** Runs the schedule; throws if something is wrong. */
    abstract void run();

    /** Lets one of the users do something, or lets a fault happen. */
    abstract void step();

    /** Called after each event, to look whether all is well. */
    void look() {}

    /** Called when a time begins to pass that may be longer than a session lasts. */
    void beginLongPause() {}

    /** The history of this schedule. */
    List<String> words() {
        return words;
    }

    void note(String what) {
        words.add(String.format("%12.6f  %s  %s", time.nanoTime() / 1e9, what, serverInWords()));
    }

    /** The state of the server, for the history. */
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

    /**
     * Chooses how slow the store is. To be called before there are clients.
     *
     * @param most how many nanoseconds a message travels at most
     */
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

    /** @param bug makes the store of the process a faulty one */
    SimulatedProcess newProcess(UnaryOperator<TicketStore> bug) {
        SimulatedProcess process = new SimulatedProcess(time, server, random, bug, preemption, this::fail);
        all.add(process);
        return process;
    }

    /** Takes so many steps, and lets time pass after each. */
    void takeSteps(int count) {
        for (int i = 0; i < count; i++) {
            step();
            goOn();
        }
    }

    /** From now on threads are held up, in half of all schedules. */
    void beginPreemption() {
        if (random.nextBoolean()) {
            preemption.begin(1 << (3 + random.nextInt(6)));
        }
    }

    /** Lets some time pass: a few events, a while, or a long time. */
    abstract void goOn();

    /**
     * @param aWhile the length of a while in milliseconds, at most
     * @param session half of the longest time
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

    /** Ends all faults and preemption: the server and the living processes run and are connected. */
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

    /** The number of permits or of signals that a notice tells. */
    static OptionalInt sizeIn(String notice) {
        Matcher size = SIZE.matcher(notice);
        return size.matches() ? OptionalInt.of(Integer.parseInt(size.group(1))) : OptionalInt.empty();
    }

    /** The other threads, which run while one is held up. */
    private final class OtherThreads implements Preemption.Others {

        @Override
        public boolean next(Duration within) {
            boolean[] more = new boolean[1];
            server.tellingNothing(() -> more[0] = undisturbing(() -> time.interleave(within)));
            happened();
            return more[0];
        }

        /** An exception of another thread must not reach the thread that is held up. */
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
