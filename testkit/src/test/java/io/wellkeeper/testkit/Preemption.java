package io.wellkeeper.testkit;

import io.wellkeeper.internal.Monitor;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Holds threads up in the midst of what they do, at their calls to the world outside, while others run: nested on the
 * stack of the one thread that there is. What is held up goes on when the others have had their time.
 */
final class Preemption {

    private static final int DEEPEST = 3;
    private static final int MOST = 100; // what happens while one is held up holds up others

    /** What the other threads do. */
    interface Others {

        /** Runs one more thing that falls due within this time; false if there is nothing more to run. */
        boolean next(Duration within);

        /** Has something run after this time. */
        void schedule(Duration delay, Runnable work);

        /** Lets one of the users do something, perhaps of this process. */
        void act(SimulatedProcess perhaps);
    }

    private final SplittableRandom random;
    private final Others others;
    private int oneIn; // how rarely somebody is held up; 0 for never
    private int depth;
    private int count; // of those who have been held up

    Preemption(SplittableRandom random, Others others) {
        this.random = random;
        this.others = others;
    }

    /** @param oneIn how rarely somebody is held up from now on: at one of so many of his calls */
    void begin(int oneIn) {
        this.oneIn = oneIn;
    }

    /** How many threads are held up, or wait, while the calling one goes on. */
    int depth() {
        return depth;
    }

    /** Whether threads may be held up, for however long. */
    boolean hasBegun() {
        return oneIn > 0;
    }

    /** Nobody is held up any more. */
    void end() {
        oneIn = 0;
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

    /** A moment at which the calling thread may be held up, if nobody would have to wait for a lock that it holds. */
    void moment(SimulatedProcess whose) {
        if (oneIn > 0 && depth < DEEPEST && count < MOST && Monitor.noneHeld() && random.nextInt(oneIn) == 0) {
            count++;
            depth++;
            try {
                holdUp(whose);
            } finally {
                depth--;
            }
        }
    }

    private void holdUp(SimulatedProcess whose) {
        int how = random.nextInt(100);
        if (how < 50) {
            others.act(whose);
        }
        if (how < 75) {
            int events = 1 + random.nextInt(8);
            for (int i = 0; i < events && others.next(Duration.ofMillis(5)); i++) {}
        } else if (how < 90) {
            pass(Duration.ofMillis(1 + random.nextInt(20)));
        } else {
            pass(Duration.ofMillis(random.nextInt(how < 95 ? 3_000 : 120_000)));
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
        try {
            while (!happened.getAsBoolean()) {
                if (!others.next(Duration.ofDays(1))) {
                    throw new AssertionError("a thread waits for ever");
                }
            }
        } finally {
            depth--;
        }
    }
}
