package io.wellkeeper.benchmarks;

import org.jspecify.annotations.Nullable;

/** What coordinator and workers say to each other; a line of JSON each. */
final class Slot {

    private Slot() {}

    /**
     * To a worker: connect, and use the lock once.
     *
     * @param store where they are kept
     * @param contestant whose locks
     * @param recipe which of them
     * @param size of the recipe, or how many locks are held
     * @param uri of the server to use
     * @param lock the lock's name, or the beginning of names
     * @param role what each thread does
     * @param threads how many
     * @param stayMillis how long whoever gets the lock stays in
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

        /** What the given thread of this process uses, by the job's name or another. */
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
        /** Uses the lock once, and leaves it alone until the visitor has been. */
        RESIDENT,
        /** Comes when the resident has left the lock alone; only its wait is measured. */
        VISITOR,
        /** Comes now and then to a lock in use; only its wait is measured. */
        PASSER_BY,
        /** Hands the lock to the taker, who has come meanwhile. */
        GIVER,
        /** Comes when the giver has the lock; only the time since that has begun to release it is measured. */
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
     * @param job for which slot; with {@link Step#PREPARE} only
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
     * @param problem empty, or what went wrong
     * @param cycles that ended in the measured window
     * @param allCycles since the threads began
     * @param requests that the process has sent since the threads began, where the servers do not count them
     * @param cpuNanos that the process took in the measured window
     * @param compilingMillis that its compilers took since the threads began
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
