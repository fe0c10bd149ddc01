package io.wellkeeper.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class WorkTest {

    @Test
    void contestants_ofAStore_areOursAndThePeersThere() {
        assertThat(Work.PROCESSES_4.contestants(Store.REDIS))
                .containsExactly(
                        Contestant.DEFAULT,
                        Contestant.R_LOCK,
                        Contestant.STRICT,
                        Contestant.FAIR_LOCK,
                        Contestant.RETAINED);
        assertThat(Work.PROCESSES_4.contestants(Store.ZOOKEEPER))
                .contains(Contestant.MUTEX)
                .doesNotContain(Contestant.R_LOCK);
    }

    @Test
    void contestants_inTables_areThoseWhoCanWaitWhereSomebodyMust() {
        for (Store store : Store.sql()) {
            assertThat(Work.FREE.contestants(store))
                    .contains(Contestant.REGISTRY, Contestant.SHED_LOCK, Contestant.LEASE_TABLE)
                    .doesNotContain(Contestant.MUTEX, Contestant.R_LOCK);
            assertThat(Work.PROCESSES_4.contestants(store))
                    .containsExactly(Contestant.DEFAULT, Contestant.REGISTRY, Contestant.STRICT, Contestant.RETAINED);
        }
        assertThat(Work.FREE.contestants(Store.REDIS)).doesNotContain(Contestant.LEASE_TABLE);
    }

    @Test
    void isOn_withoutAPeerThere_isFalse() {
        assertThat(Work.MULTI_LOCK_FREE.isOn(Store.ZOOKEEPER, Topology.ONE_SERVER))
                .isTrue();
        assertThat(Work.MULTI_LOCK_FREE.isOn(Store.REDIS, Topology.ONE_SERVER)).isFalse();
    }

    @Test
    void isOn_whatIsAboutWaitingForTheServer_isMeasuredFarAway() {
        assertThat(List.of(Work.values()))
                .filteredOn(work -> work.isOn(Store.REDIS, Topology.DISTANT_SERVER))
                .containsExactly(Work.FREE, Work.HAND_OFF);
    }

    @Test
    void window_whereSomebodyLooksNowAndThen_isLonger() {
        assertThat(Pace.FULL.windowMillis(Store.POSTGRES, Work.HAND_OFF))
                .isEqualTo(Pace.POLLED_WINDOWS * Pace.FULL.windowMillis(Store.REDIS, Work.HAND_OFF));
        assertThat(Pace.FULL.windowMillis(Store.POSTGRES, Work.FREE))
                .isEqualTo(Pace.FULL.windowMillis(Store.REDIS, Work.FREE));
    }

    @Test
    void rounds_whereNoiseWouldDecide_areMore() {
        assertThat(Pace.FULL.rounds(Work.PROCESSES_4)).isGreaterThan(Pace.FULL.rounds(Work.HAND_OFF));
    }

    @Test
    void targets_areAboutWhatIsMeasured() {
        for (Store store : Store.values()) {
            assertThat(Target.of(store)).isNotEmpty().allSatisfy(target -> {
                assertThat(store.topologies()).containsAnyElementsOf(target.topologies());
                assertThat(target.topologies())
                        .allMatch(topology -> target.work().isOn(store, topology));
                assertThat(target.work().contestants(store)).contains(target.ours());
                target.peer()
                        .ifPresent(peer ->
                                assertThat(target.work().contestants(store)).contains(peer));
            });
        }
    }
}
