package io.wellkeeper.benchmarks;

import static io.wellkeeper.benchmarks.Contestant.DEFAULT;
import static io.wellkeeper.benchmarks.Contestant.DEFAULT_AWAITED;
import static io.wellkeeper.benchmarks.Contestant.DEFAULT_TOKEN;
import static io.wellkeeper.benchmarks.Contestant.MULTI_LOCK;
import static io.wellkeeper.benchmarks.Contestant.MUTEX;
import static io.wellkeeper.benchmarks.Contestant.READ_WRITE_LOCK;
import static io.wellkeeper.benchmarks.Contestant.RETAINED;
import static io.wellkeeper.benchmarks.Contestant.SEMAPHORE_MUTEX;
import static io.wellkeeper.benchmarks.Contestant.SEMAPHORE_V2;
import static io.wellkeeper.benchmarks.Contestant.SHARED_MUTEX;
import static io.wellkeeper.benchmarks.Contestant.STRICT;

import io.wellkeeper.benchmarks.Slot.Role;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

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
    SEMAPHORE_FREE(
            "semaphore: one permit of 8, 1 thread",
            Recipe.SEMAPHORE,
            8,
            1,
            EnumSet.of(Topology.ONE_SERVER),
            List.of(DEFAULT, SEMAPHORE_V2)),
    SEMAPHORE_THREADS_16(
            "semaphore: 4 permits, 1 process x 16 threads",
            Recipe.SEMAPHORE,
            4,
            16,
            EnumSet.allOf(Topology.class),
            List.of(DEFAULT, SEMAPHORE_V2)),
    READ_FREE(
            "read-write lock: free read lock, 1 thread",
            Recipe.READ_LOCK,
            1,
            1,
            EnumSet.of(Topology.ONE_SERVER),
            List.of(DEFAULT, READ_WRITE_LOCK)),
    READ_THREADS_16(
            "read-write lock: read lock, 1 process x 16 threads",
            Recipe.READ_LOCK,
            1,
            16,
            EnumSet.of(Topology.ONE_SERVER),
            List.of(DEFAULT, READ_WRITE_LOCK, STRICT)),
    READS_AND_WRITES(
            "read-write lock: 20 reads to 1 write, 1 process x 16 threads",
            Recipe.READ_WRITE_LOCK,
            20,
            16,
            EnumSet.allOf(Topology.class),
            List.of(DEFAULT, READ_WRITE_LOCK, STRICT)),
    MULTI_LOCK_FREE(
            "multi-lock: 8 free names, 1 thread",
            Recipe.MULTI_LOCK,
            8,
            1,
            EnumSet.of(Topology.ONE_SERVER),
            List.of(DEFAULT, MULTI_LOCK)),
    REENTRANT("in-process (JMH): acquire and release a lock already held", List.of(), 1, List.of(DEFAULT, MUTEX)),
    HAND_OVER("in-process (JMH): 2 threads, one lock", List.of(), 2, List.of(DEFAULT, MUTEX, RETAINED)),
    RETAINED_AGAIN("in-process (JMH): 1 thread, again and again", List.of(), 1, List.of(RETAINED, MUTEX));

    private final String title;
    private final List<Role> roles;
    private final int threads;
    private final Recipe recipe;
    private final int size;
    private final Set<Topology> topologies;
    private final List<Contestant> contestants;

    /** With one mutex; on all servers, unless it is for JMH. */
    Work(String title, List<Role> roles, int threads, List<Contestant> contestants) {
        this.title = title;
        this.roles = roles;
        this.threads = threads;
        this.recipe = Recipe.MUTEX;
        this.size = 1;
        this.topologies = roles.isEmpty() ? EnumSet.of(Topology.ONE_SERVER) : EnumSet.allOf(Topology.class);
        this.contestants = contestants;
    }

    /** With another of the family; one process. */
    Work(String title, Recipe recipe, int size, int threads, Set<Topology> topologies, List<Contestant> contestants) {
        this.title = title;
        this.roles = List.of(Role.CYCLE);
        this.threads = threads;
        this.recipe = recipe;
        this.size = size;
        this.topologies = topologies;
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

    /** Which of the lock family. */
    Recipe recipe() {
        return recipe;
    }

    /** Of the recipe. */
    int size() {
        return size;
    }

    /** Whether this is measured there; the ensemble takes time that not every work is worth. */
    boolean isOn(Topology topology) {
        return topologies.contains(topology);
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

    /** Whether several threads may be in at once. */
    boolean isShared() {
        return recipe.isShared() && threads > 1;
    }

    /** Whether the processes compete as equals. */
    boolean hasShares() {
        return roles.size() > 1 && !isWaitOnly();
    }
}
