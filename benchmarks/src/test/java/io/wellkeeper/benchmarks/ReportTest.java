package io.wellkeeper.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReportTest {

    private static final Measured FREE = Measured.once(
            Topology.ONE_SERVER,
            Work.FREE,
            Map.of(
                    Contestant.DEFAULT,
                    Map.of(Measure.THROUGHPUT, 2_500.0, Measure.REQUESTS, 3.001),
                    Contestant.DEFAULT_AWAITED,
                    Map.of(Measure.THROUGHPUT, 1_200.0, Measure.REQUESTS, 3.0),
                    Contestant.STRICT,
                    Map.of(Measure.THROUGHPUT, 1_500.0, Measure.REQUESTS, 3.2),
                    Contestant.MUTEX,
                    Map.of(Measure.THROUGHPUT, 1_000.0, Measure.REQUESTS, 3.0)));

    @Test
    void report_saysWhichTargetsAreMet() {
        String page = Report.of(Store.ZOOKEEPER, Map.of("Cores", "2"), List.of(FREE), Pace.QUICK);

        assertThat(page)
                .contains("- Cores: 2\n")
                .contains("| met | one server | free lock, 1 thread | Wellkeeper default | throughput |"
                        + " at least 2.0 x Curator InterProcessMutex | 2.50 x |")
                .contains("| **missed** | one server | free lock, 1 thread | Wellkeeper strict | throughput |"
                        + " at least 2.0 x Curator InterProcessMutex | 1.50 x |")
                .contains("| met | one server | free lock, 1 thread | Wellkeeper default | requests | 3.0 | 3.00 |")
                .contains(
                        "| **missed** | one server | free lock, 1 thread | Wellkeeper strict | requests | 3.0 | 3.20 |");
    }

    @Test
    void report_hasATableWithRatios() {
        assertThat(Report.of(Store.ZOOKEEPER, Map.of(), List.of(FREE), Pace.QUICK))
                .contains("## One server: free lock, 1 thread")
                .contains("| Wellkeeper default | 2,500 | 3.00 | 2.50 x |")
                .contains("| Curator InterProcessMutex | 1,000 | 3.00 |  |");
    }

    @Test
    void report_hasOneTableForTheFamilyAndSaysWhatEachDoes() {
        Measured semaphore = Measured.once(
                Topology.ONE_SERVER,
                Work.SEMAPHORE_FREE,
                Map.of(
                        Contestant.DEFAULT, Map.of(Measure.THROUGHPUT, 3_000.0, Measure.REQUESTS, 4.0),
                        Contestant.SEMAPHORE_V2, Map.of(Measure.THROUGHPUT, 1_000.0, Measure.REQUESTS, 7.0)));
        Measured read = Measured.once(
                Topology.ONE_SERVER,
                Work.READ_FREE,
                Map.of(
                        Contestant.DEFAULT, Map.of(Measure.THROUGHPUT, 900.0, Measure.REQUESTS, 3.0),
                        Contestant.READ_WRITE_LOCK, Map.of(Measure.THROUGHPUT, 600.0, Measure.REQUESTS, 3.0)));

        assertThat(Report.of(Store.ZOOKEEPER, Map.of(), List.of(FREE, semaphore, read), Pace.QUICK))
                .containsOnlyOnce("## The lock family")
                .contains("| one server | semaphore: one permit of 8, 1 thread | Wellkeeper default |"
                        + " 3,000 | 4.00 | 3.00 x |\n")
                .contains("| Curator InterProcessSemaphoreV2 | 1,000 | 7.00 |  |\n")
                .contains("| Wellkeeper default | 900 | 3.00 | 1.50 x |\n")
                .containsOnlyOnce("- Wellkeeper, semaphore: ")
                .containsOnlyOnce("- Curator InterProcessReadWriteLock, read lock: ");
    }

    @Test
    void report_ofRedis_hasItsOwnTargetsAndMethod() {
        Measured handOff = Measured.once(
                Topology.ONE_SERVER,
                Work.HAND_OFF,
                Map.of(
                        Contestant.DEFAULT, Map.of(Measure.WAIT_P50, 400.0),
                        Contestant.R_LOCK, Map.of(Measure.WAIT_P50, 900.0)));
        Measured held = Measured.once(
                Topology.ONE_SERVER,
                Work.HELD,
                Map.of(
                        Contestant.DEFAULT, Map.of(Measure.REQUEST_RATE, 1.5),
                        Contestant.R_LOCK, Map.of(Measure.REQUEST_RATE, 10.0)));

        assertThat(Report.of(Store.REDIS, Map.of(), List.of(handOff, held), Pace.QUICK))
                .contains("| Wellkeeper default | wait p50 | at least 2.0 x Redisson RLock | 2.25 x |")
                .contains("| **missed** | one server | 10,000 locks held by 1 process | Wellkeeper default | requests |"
                        + " at most 1.0 | 1.50 |")
                .contains("results-redis.json")
                .contains("useSingleServer")
                .doesNotContain("Curator");
    }

    @Test
    void report_ofADatabase_hasItsOwnTargetsAndMethod() {
        Measured free = Measured.once(
                Topology.ONE_SERVER,
                Work.FREE,
                Map.of(
                        Contestant.DEFAULT, Map.of(Measure.CYCLE_P50, 500.0, Measure.REQUESTS, 2.0),
                        Contestant.REGISTRY, Map.of(Measure.CYCLE_P50, 700.0, Measure.REQUESTS, 6.0)));
        Measured strict = Measured.once(
                Topology.ONE_SERVER,
                Work.PROCESSES_4,
                Map.of(
                        Contestant.STRICT, Map.of(Measure.THROUGHPUT, 950.0, Measure.CYCLE_MAX, 100_000.0),
                        Contestant.REGISTRY, Map.of(Measure.THROUGHPUT, 1_000.0, Measure.CYCLE_MAX, 600_000.0)));

        assertThat(Report.of(Store.POSTGRES, Map.of(), List.of(free, strict), Pace.QUICK))
                .contains("`benchmarks/run postgres`", "results-postgres.json", "`synchronous_commit` are on")
                .contains("| **missed** | one server | free lock, 1 thread | Wellkeeper default | cycle p50 |"
                        + " at least 1.5 x Spring JdbcLockRegistry | 1.40 x |")
                .contains("| met | one server | free lock, 1 thread | Wellkeeper default | requests | 2.0 | 2.00 |")
                .contains("| Wellkeeper strict | throughput | at least 0.9 x Spring JdbcLockRegistry | 0.950 x |")
                .contains("| Wellkeeper strict | longest cycle | at least 5.0 x Spring JdbcLockRegistry | 6.00 x |")
                .doesNotContain("Redis");
        assertThat(Report.of(Store.MARIADB, Map.of(), List.of(free), Pace.QUICK))
                .contains("| met | one server | free lock, 1 thread | Wellkeeper default | cycle p50 |"
                        + " at least 1.3 x Spring JdbcLockRegistry | 1.40 x |")
                .contains("innodb_flush_log_at_trx_commit=1");
    }

    @Test
    void method_ofAnyStore_namesItsPaceAndItsPeer() {
        for (Store store : Store.values()) {
            assertThat(Method.of(store, Pace.FULL))
                    .contains("in a slot of 500 ms", "in 5 rounds", store.peer() + "'s does")
                    .doesNotContain("%");
        }
        assertThat(Method.of(Store.ZOOKEEPER, Pace.FULL)).contains("2 processes x 3 iterations of 500 ms");
        assertThat(Method.of(Store.REDIS, Pace.FULL)).contains("is\n  30000 ms, and one round");
    }

    @Test
    void number_hasThreeDigits() {
        assertThat(List.of(12_345.6, 123.4, 12.34, 1.234, 0.1234, 0.0))
                .extracting(Report::number)
                .containsExactly("12,346", "123", "12.3", "1.23", "0.123", "0.00");
    }

    @Test
    void comparison_setsEachOfOursBesideEachPeer() {
        assertThat(Comparison.of(Store.ZOOKEEPER, FREE))
                .hasSize(6)
                .contains(new Comparison(
                        "zookeeper",
                        "one server",
                        "free lock, 1 thread, release awaited",
                        "default",
                        "throughput",
                        "cycles/s",
                        1_200,
                        "Curator InterProcessMutex",
                        1_000,
                        1.2));
    }
}
