package io.wellkeeper.testkit;

import io.wellkeeper.internal.Monitor;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Holds up simulated threads at their calls to the world outside and, in half of the schedules, before they lock and
 * after they unlock one of the engine's monitors, and lets other simulated threads run meanwhile. There is only one real
 * thread: the others run on top of its stack, and the one that is held up goes on when they return.
 */
final class Preemption {

    private static final int DEEPEST = 3;
    // threads held up; one that runs while another is held up may be held up itself
    private static final int MOST = 100;
    private static final int OFTEN = 3;
    private static final int ACTS = 4; // users act less often than this while a thread waits
    private static final int RARELY = 8;
    private static final int LONG = 90; // of a hundred that are held up, so many are held up for short

    /** What the other threads do. */
    interface Others {

        /** Runs the next task that falls due within this time; false if there is none. */
        boolean next(Duration within);

        /** Schedules a task. */
        void schedule(Duration delay, Runnable work);

        /** Lets one of the users do something, most often the user of this process. */
        void act(SimulatedProcess perhaps);

        /** Lets one of the users do something. */
        void act();
    }

    private final SplittableRandom random;
    private final Others others;
    private final Duration longest;
    private int oneIn; // a thread is held up at one of so many moments; 0 for never
    private boolean eager; // the calling thread is held up often
    private @Nullable SimulatedProcess calling; // the process whose thread was the last to call something outside
    private int depth;
    private int count; // of the threads that have been held up

    /** @param longest for how long a thread is held up at most; not much longer than a session lasts */
    Preemption(SplittableRandom random, Duration longest, Others others) {
        this.random = random;
        this.longest = longest;
        this.others = others;
    }

    /** @param oneIn from now on a thread is held up at one of so many of its calls */
    void begin(int oneIn) {
        this.oneIn = oneIn;
        Monitor.betweenAny(random.nextBoolean() ? this::betweenMonitors : null);
    }

    /** How many threads are held up, or wait, while the calling thread runs. */
    int depth() {
        return depth;
    }

    /** Whether threads may be held up now. */
    boolean hasBegun() {
        return oneIn > 0;
    }

    /** Whether any thread has been held up. */
    boolean hasHeldUp() {
        return count > 0;
    }

    /** From now on no thread is held up any more. */
    void end() {
        oneIn = 0;
        Monitor.betweenAny(null);
    }

    /** Does some work, during which no thread is held up. */
    <T> T without(Supplier<T> work) {
        int before = oneIn;
        oneIn = 0;
        try {
            return work.get();
        } finally {
            oneIn = before;
        }
    }

    /** Does some work, during which the calling thread alone is held up often, if threads may be held up at all. */
    void often(Runnable work) {
        boolean before = eager;
        eager = true;
        try {
            work.run();
        } finally {
            eager = before;
        }
    }

    /**
     * A moment at which the calling thread may be held up, unless it holds a monitor for which others would have to
     * wait.
     *
     * @param delicate whether threads are to be held up often at this moment, because much depends on what happens then
     */
    void moment(SimulatedProcess whose, boolean delicate) {
        calling = whose;
        moment(whose, delicate || eager ? Math.min(oneIn, OFTEN) : oneIn, 100);
    }

    /** Never for long: others may ask the store all the while what has become of what is half done. */
    private void betweenMonitors() {
        SimulatedProcess whose = calling;
        if (whose != null) {
            moment(whose, eager ? Math.min(oneIn, OFTEN) : oneIn, LONG);
        }
    }

    private void moment(SimulatedProcess whose, int rarely, int kinds) {
        if (rarely > 0 && depth < DEEPEST && count < MOST && Monitor.noneHeld() && random.nextInt(rarely) == 0) {
            boolean before = eager;
            count++;
            depth++;
            eager = false;
            try {
                holdUp(whose, kinds);
            } finally {
                eager = before;
                depth--;
                calling = whose;
            }
        }
    }

    /** @param kinds {@link #LONG} if it must be short, and otherwise 100 */
    private void holdUp(SimulatedProcess whose, int kinds) {
        if (random.nextBoolean()) {
            others.act(whose);
        }
        int how = random.nextInt(kinds);
        if (how < 70) {
            int events = 1 + random.nextInt(8);
            for (int i = 0; i < events && others.next(Duration.ofMillis(5)); i++) {}
        } else if (how < LONG) {
            pass(Duration.ofMillis(1 + random.nextInt(20)));
        } else {
            pass(Duration.ofMillis(random.nextInt((int) longest.toMillis() / (how < 95 ? 40 : 1))));
        }
    }

    private void pass(Duration duration) {
        boolean[] over = new boolean[1];
        others.schedule(duration, () -> over[0] = true);
        while (!over[0] && others.next(duration)) {}
    }

    /**
     * Lets the other threads run until the event has happened for which the calling thread waits; fails if it never
     * does.
     */
    void await(BooleanSupplier happened) {
        depth++;
        int acts = depth == 1 ? random.nextInt(ACTS) : 0;
        try {
            while (!happened.getAsBoolean()) {
                if (acts > 0 && random.nextInt(RARELY) == 0) {
                    acts--;
                    others.act();
                }
                if (!others.next(Duration.ofDays(1)) && !happened.getAsBoolean()) { // the act may have made it happen
                    throw new AssertionError("a thread waits for ever");
                }
            }
        } finally {
            depth--;
        }
    }
}
