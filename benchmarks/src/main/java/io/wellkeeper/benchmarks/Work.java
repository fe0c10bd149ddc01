package io.wellkeeper.benchmarks;

import static io.wellkeeper.benchmarks.Contestant.DEFAULT;
import static io.wellkeeper.benchmarks.Contestant.DEFAULT_AWAITED;
import static io.wellkeeper.benchmarks.Contestant.DEFAULT_TOKEN;
import static io.wellkeeper.benchmarks.Contestant.FAIR_LOCK;
import static io.wellkeeper.benchmarks.Contestant.LEASE_TABLE;
import static io.wellkeeper.benchmarks.Contestant.MULTI_LOCK;
import static io.wellkeeper.benchmarks.Contestant.MUTEX;
import static io.wellkeeper.benchmarks.Contestant.READ_WRITE_LOCK;
import static io.wellkeeper.benchmarks.Contestant.REGISTRY;
import static io.wellkeeper.benchmarks.Contestant.RETAINED;
import static io.wellkeeper.benchmarks.Contestant.R_LOCK;
import static io.wellkeeper.benchmarks.Contestant.SEMAPHORE_MUTEX;
import static io.wellkeeper.benchmarks.Contestant.SEMAPHORE_V2;
import static io.wellkeeper.benchmarks.Contestant.SHARED_MUTEX;
import static io.wellkeeper.benchmarks.Contestant.SHED_LOCK;
import static io.wellkeeper.benchmarks.Contestant.STRICT;
import static io.wellkeeper.benchmarks.Topology.NEAR;

import io.wellkeeper.benchmarks.Slot.Role;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * What is done with locks, and by whom. The contestants take turns in the given order, each on the stores that it has.
 */
enum Work {
    FREE(
            "free lock, 1 thread",
            List.of(Role.CYCLE),
            1,
            EnumSet.allOf(Topology.class),
            List.of(
                    DEFAULT,
                    MUTEX,
                    R_LOCK,
                    REGISTRY,
                    STRICT,
                    SEMAPHORE_MUTEX,
                    FAIR_LOCK,
                    LEASE_TABLE,
                    SHED_LOCK,
                    RETAINED,
                    DEFAULT_AWAITED,
                    DEFAULT_TOKEN)),
    FRESH(
            "names never used before, 1 thread",
            List.of(Role.FRESH),
            1,
            NEAR,
            List.of(DEFAULT, MUTEX, R_LOCK, REGISTRY, STRICT, SEMAPHORE_MUTEX, FAIR_LOCK)),
    THREADS_16(
            "one lock, 1 process x 16 threads",
            List.of(Role.CYCLE),
            16,
            NEAR,
            List.of(
                    DEFAULT,
                    MUTEX,
                    R_LOCK,
                    REGISTRY,
                    STRICT,
                    SHARED_MUTEX,
                    FAIR_LOCK,
                    RETAINED,
                    SEMAPHORE_MUTEX,
                    DEFAULT_TOKEN)),
    THREADS_64(
            "one lock, 1 process x 64 threads",
            List.of(Role.CYCLE),
            64,
            NEAR,
            List.of(DEFAULT, MUTEX, R_LOCK, STRICT, SHARED_MUTEX, FAIR_LOCK, RETAINED)),
    PROCESSES_4(
            "one lock, 4 processes x 4 threads",
            List.of(Role.CYCLE, Role.CYCLE, Role.CYCLE, Role.CYCLE),
            4,
            NEAR,
            List.of(DEFAULT, MUTEX, R_LOCK, REGISTRY, STRICT, SHARED_MUTEX, FAIR_LOCK, RETAINED)),
    NEWCOMER_IDLE(
            "a newcomer's wait for a lock that another process has used and left",
            List.of(Role.RESIDENT, Role.VISITOR),
            1,
            NEAR,
            List.of(RETAINED, MUTEX, R_LOCK, DEFAULT)),
    NEWCOMER_BUSY(
            "a newcomer's wait for a lock that another process uses all the time",
            List.of(Role.CYCLE, Role.PASSER_BY),
            1,
            NEAR,
            List.of(RETAINED, MUTEX, R_LOCK, DEFAULT)),
    HAND_OFF(
            "hand-off: from unlock in one process until lock returns in another",
            List.of(Role.GIVER, Role.TAKER),
            1,
            EnumSet.allOf(Topology.class),
            List.of(DEFAULT, R_LOCK, REGISTRY, STRICT, FAIR_LOCK)),
    HELD(
            "10,000 locks held by 1 process",
            List.of(Role.HOLDER),
            Recipe.MUTEX,
            10_000,
            1,
            NEAR,
            List.of(DEFAULT, R_LOCK)),
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
            NEAR,
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
            NEAR,
            List.of(DEFAULT, READ_WRITE_LOCK, STRICT)),
    MULTI_LOCK_FREE(
            "multi-lock: 8 free names, 1 thread",
            Recipe.MULTI_LOCK,
            8,
            1,
            EnumSet.of(Topology.ONE_SERVER),
            List.of(DEFAULT, MULTI_LOCK)),
    REENTRANT("in-process (JMH): acquire and release a lock already held", 1, List.of(DEFAULT, MUTEX)),
    HAND_OVER("in-process (JMH): 2 threads, one lock", 2, List.of(DEFAULT, MUTEX, RETAINED)),
    RETAINED_AGAIN("in-process (JMH): 1 thread, again and again", 1, List.of(RETAINED, MUTEX));

    private final String title;
    private final List<Role> roles;
    private final int threads;
    private final Recipe recipe;
    private final int size;
    private final Set<Topology> topologies;
    private final List<Contestant> contestants;

    /** A work with one mutex. */
    Work(String title, List<Role> roles, int threads, Set<Topology> topologies, List<Contestant> contestants) {
        this(title, roles, Recipe.MUTEX, 1, threads, topologies, contestants);
    }

    /** A work of one process with another kind of lock. */
    Work(String title, Recipe recipe, int size, int threads, Set<Topology> topologies, List<Contestant> contestants) {
        this(title, List.of(Role.CYCLE), recipe, size, threads, topologies, contestants);
    }

    /** A work that JMH measures. */
    Work(String title, int threads, List<Contestant> contestants) {
        this(title, List.of(), Recipe.MUTEX, 1, threads, EnumSet.of(Topology.ONE_SERVER), contestants);
    }

    Work(
            String title,
            List<Role> roles,
            Recipe recipe,
            int size,
            int threads,
            Set<Topology> topologies,
            List<Contestant> contestants) {
        this.title = title;
        this.roles = roles;
        this.threads = threads;
        this.recipe = recipe;
        this.size = size;
        this.topologies = topologies;
        this.contestants = contestants;
    }

    String title() {
        return title;
    }

    /** The roles, one for each process; none for a work that JMH measures. */
    List<Role> roles() {
        return roles;
    }

    /** The number of threads in each process. */
    int threads() {
        return threads;
    }

    /** The kind of lock. */
    Recipe recipe() {
        return recipe;
    }

    /** The size of the recipe; for a mutex, how many are held. */
    int size() {
        return size;
    }

    /** Whether this is measured on a topology of a store: it must have a peer there, and be worth the time. */
    boolean isOn(Store store, Topology topology) {
        return topologies.contains(topology) && contestants(store).stream().anyMatch(each -> !each.isOurs());
    }

    /** The contestants on all stores. */
    List<Contestant> contestants() {
        return contestants;
    }

    /** The contestants on a store. */
    List<Contestant> contestants(Store store) {
        return contestants.stream().filter(each -> each.isAt(store)).toList();
    }

    boolean isForJmh() {
        return roles.isEmpty();
    }

    /** Whether locks are only held, all the time. */
    boolean isHolding() {
        return roles.contains(Role.HOLDER);
    }

    /** Whether only the wait of one of the processes counts. */
    boolean isWaitOnly() {
        return roles.stream().anyMatch(Role::isNewcomer);
    }

    /** Whether several threads may be holders at once. */
    boolean isShared() {
        return recipe.isShared() && threads > 1;
    }

    /** Whether the processes compete as equals. */
    boolean hasShares() {
        return roles.size() > 1 && !isWaitOnly();
    }
}
