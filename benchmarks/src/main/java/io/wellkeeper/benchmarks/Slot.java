package io.wellkeeper.benchmarks;

import org.jspecify.annotations.Nullable;

/** The messages between coordinator and workers; each is a line of JSON. */
final class Slot {

    private Slot() {}

    /**
     * To a worker: connect, and use the lock once.
     *
     * @param store where the locks are kept
     * @param contestant the library of the locks, and how they are used
     * @param recipe the kind of locks
     * @param size of the recipe, or how many locks are held
     * @param uri of the server to use
     * @param lock the lock's name, or the beginning of names
     * @param role what each thread does
     * @param threads the number of threads
     * @param stayMillis how long each holder holds the lock
     * @param who the number of the first thread among those of all workers, from 1
     */
    record Job(
            Store store,
            Contestant contestant,
            Recipe recipe,
            int size,
            String uri,
            String lock,
            Role role,
            int threads,
            int stayMillis,
            int who) {

        /** Makes the lock that the given thread of this process uses, with the job's name or another. */
        Locks.CycleLock open(Locks locks, String name, int thread) {
            return recipe.open(locks, name, size, thread);
        }
    }

    /** What a thread does until the slot is over. */
    enum Role {
        /** Acquires and releases the one lock. */
        CYCLE,
        /** Acquires and releases a lock that was never used before. */
        FRESH,
        /** Uses the lock once, and leaves it alone until the visitor has used it. */
        RESIDENT,
        /** Comes when the resident has left the lock alone; only its wait is measured. */
        VISITOR,
        /** Comes now and then to a lock in use; only its wait is measured. */
        PASSER_BY,
        /** Hands the lock to the taker, which has begun to wait meanwhile. */
        GIVER,
        /** Comes when the giver has the lock. Only the time from when the giver begins to release it is measured. */
        TAKER,
        /** Holds many locks, each of another name. */
        HOLDER;

        boolean isNewcomer() {
            return this == VISITOR || this == PASSER_BY || this == TAKER;
        }
    }

    /**
     * To a worker: the next step.
     *
     * @param step what to do now
     * @param job the job of the slot; with {@link Step#PREPARE} only
     */
    record Command(Step step, @Nullable Job job) {}

    /** The steps of a slot in a worker. */
    enum Step {
        PREPARE,
        RUN,
        CLOSE
    }

    /**
     * From a worker, after each step.
     *
     * @param problem what went wrong; empty if nothing did
     * @param cycles the number of cycles that ended in the measured window
     * @param allCycles the number of cycles since the threads began
     * @param requests the number of requests that the process has sent since the threads began, if the servers do not
     *     count them
     * @param cpuNanos the CPU time of the process in the measured window
     * @param compilingMillis the time of the compilers since the threads began
     * @param latencies of the counted cycles: a compressed histogram of nanoseconds in base 64
     */
    record Reply(
            String problem,
            long cycles,
            long allCycles,
            long requests,
            long cpuNanos,
            long compilingMillis,
            String latencies) {

        static Reply done() {
            return new Reply("", 0, 0, 0, 0, 0, "");
        }

        static Reply failed(String problem) {
            return new Reply(problem, 0, 0, 0, 0, 0, "");
        }
    }
}
