package io.wellkeeper.benchmarks;

import static io.wellkeeper.benchmarks.Contestant.DEFAULT;
import static io.wellkeeper.benchmarks.Contestant.DEFAULT_AWAITED;
import static io.wellkeeper.benchmarks.Contestant.DEFAULT_TOKEN;
import static io.wellkeeper.benchmarks.Contestant.MUTEX;
import static io.wellkeeper.benchmarks.Contestant.RETAINED;
import static io.wellkeeper.benchmarks.Contestant.SEMAPHORE_MUTEX;
import static io.wellkeeper.benchmarks.Contestant.SHARED_MUTEX;
import static io.wellkeeper.benchmarks.Contestant.STRICT;

import io.wellkeeper.benchmarks.Slot.Role;
import java.util.List;

/** What is done with locks, and by whom. The contestants take turns in the order given. */
enum Work {
    FREE(
            "free lock, 1 thread",
            List.of(Role.CYCLE),
            1,
            List.of(DEFAULT, MUTEX, STRICT, SEMAPHORE_MUTEX, RETAINED, DEFAULT_AWAITED, DEFAULT_TOKEN)),
    FRESH(
            "names never used before, 1 thread",
            List.of(Role.FRESH),
            1,
            List.of(DEFAULT, MUTEX, STRICT, SEMAPHORE_MUTEX)),
    THREADS_16(
            "one lock, 1 process x 16 threads",
            List.of(Role.CYCLE),
            16,
            List.of(DEFAULT, MUTEX, STRICT, SHARED_MUTEX, RETAINED, SEMAPHORE_MUTEX, DEFAULT_TOKEN)),
    THREADS_64(
            "one lock, 1 process x 64 threads",
            List.of(Role.CYCLE),
            64,
            List.of(DEFAULT, MUTEX, STRICT, SHARED_MUTEX, RETAINED, SEMAPHORE_MUTEX)),
    PROCESSES_4(
            "one lock, 4 processes x 4 threads",
            List.of(Role.CYCLE, Role.CYCLE, Role.CYCLE, Role.CYCLE),
            4,
            List.of(DEFAULT, MUTEX, STRICT, SHARED_MUTEX, RETAINED, SEMAPHORE_MUTEX)),
    NEWCOMER_IDLE(
            "a newcomer's wait for a lock that another process has used and left",
            List.of(Role.RESIDENT, Role.VISITOR),
            1,
            List.of(RETAINED, MUTEX, DEFAULT)),
    NEWCOMER_BUSY(
            "a newcomer's wait for a lock that another process uses all the time",
            List.of(Role.CYCLE, Role.PASSER_BY),
            1,
            List.of(RETAINED, MUTEX, DEFAULT)),
    REENTRANT("in-process (JMH): acquire and release a lock already held", List.of(), 1, List.of(DEFAULT, MUTEX)),
    HAND_OVER("in-process (JMH): 2 threads, one lock", List.of(), 2, List.of(DEFAULT, MUTEX, RETAINED)),
    RETAINED_AGAIN("in-process (JMH): 1 thread, again and again", List.of(), 1, List.of(RETAINED, MUTEX));

    private final String title;
    private final List<Role> roles;
    private final int threads;
    private final List<Contestant> contestants;

    Work(String title, List<Role> roles, int threads, List<Contestant> contestants) {
        this.title = title;
        this.roles = roles;
        this.threads = threads;
        this.contestants = contestants;
    }

    String title() {
        return title;
    }

    /** One for each process; none for what JMH measures. */
    List<Role> roles() {
        return roles;
    }

    /** Threads in each process. */
    int threads() {
        return threads;
    }

    List<Contestant> contestants() {
        return contestants;
    }

    boolean isForJmh() {
        return roles.isEmpty();
    }

    /** Whether only the wait of one of the processes counts. */
    boolean isWaitOnly() {
        return roles.stream().anyMatch(Role::isNewcomer);
    }

    /** Whether the processes compete as equals. */
    boolean hasShares() {
        return roles.size() > 1 && !isWaitOnly();
    }
}
