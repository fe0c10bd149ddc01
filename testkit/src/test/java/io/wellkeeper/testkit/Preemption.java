package io.wellkeeper.testkit;

import io.wellkeeper.internal.Monitor;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Holds threads up in the midst of what they do, at their calls to the world outside and, in half of the schedules,
 * between what they do under the engine's monitors, while others run: nested on the stack of the one thread that there
 * is. What is held up goes on when the others have had their time.
 */
final class Preemption {

    private static final int DEEPEST = 3;
    private static final int MOST = 100; // what happens while one is held up holds up others
    private static final int OFTEN = 3;
    private static final int ACTS = 4; // of somebody, less than so many while a thread waits
    private static final int RARELY = 8;
    private static final int LONG = 90; // of a hundred that are held up, so many are held up for short

    /** What the other threads do. */
    interface Others {

        /** Runs one more thing that falls due within this time; false if there is nothing more to run. */
        boolean next(Duration within);

        /** Has something run after this time. */
        void schedule(Duration delay, Runnable work);

        /** Lets one of the users do something, most often of this process. */
        void act(SimulatedProcess perhaps);

        /** Lets one of the users do something. */
        void act();
    }

    private final SplittableRandom random;
    private final Others others;
    private final Duration longest;
    private int oneIn; // how rarely somebody is held up; 0 for never
    private boolean eager; // the one who calls is held up often
    private @Nullable SimulatedProcess calling; // whose thread was the last to call something outside
    private int depth;
    private int count; // of those who have been held up

    /** @param longest for how long anybody is held up, not much more than a session lasts */
    Preemption(SplittableRandom random, Duration longest, Others others) {
        this.random = random;
        this.longest = longest;
        this.others = others;
    }

    /** @param oneIn how rarely somebody is held up from now on: at one of so many of his calls */
    void begin(int oneIn) {
        this.oneIn = oneIn;
        Monitor.betweenAny(random.nextBoolean() ? this::betweenMonitors : null);
    }

    /** How many threads are held up, or wait, while the calling one goes on. */
    int depth() {
        return depth;
    }

    /** Whether threads may be held up, for however long. */
    boolean hasBegun() {
        return oneIn > 0;
    }

    /** Whether any thread has been held up. */
    boolean hasHeldUp() {
        return count > 0;
    }

    /** Nobody is held up any more. */
    void end() {
        oneIn = 0;
        Monitor.betweenAny(null);
    }

    /** Nobody is held up meanwhile. */
    <T> T without(Supplier<T> work) {
        int before = oneIn;
        oneIn = 0;
        try {
            return work.get();
        } finally {
            oneIn = before;
        }
    }

    /** The calling thread, and no other, is held up often meanwhile, if anybody is. */
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
     * A moment at which the calling thread may be held up, if nobody would have to wait for a lock that it holds.
     *
     * @param delicate whether it matters much what happens just then
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

    /** The calling thread waits until something has happened, which will be. */
    void await(BooleanSupplier happened) {
        depth++;
        int acts = depth == 1 ? random.nextInt(ACTS) : 0;
        try {
            while (!happened.getAsBoolean()) {
                if (acts > 0 && random.nextInt(RARELY) == 0) {
                    acts--;
                    others.act();
                }
                if (!others.next(Duration.ofDays(1)) && !happened.getAsBoolean()) { // while somebody acted, perhaps
                    throw new AssertionError("a thread waits for ever");
                }
            }
        } finally {
            depth--;
        }
    }
}
