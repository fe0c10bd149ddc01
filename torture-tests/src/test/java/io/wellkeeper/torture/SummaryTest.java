package io.wellkeeper.torture;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.torture.Event.Kind;
import java.util.List;
import org.junit.jupiter.api.Test;

class SummaryTest {

    private static final Lock LOCK = Lock.mutex("a", true);

    private static String summary(Run run) {
        return Summary.of(run, Checker.check(run));
    }

    @Test
    void of_cleanRun_saysWhatHappened() {
        Run run = new Scenario(LOCK)
                .section(1, 5, 1, 1, LOCK, 1)
                .at(2, Kind.ACCEPTED, 1, 1, "a", 1, 0)
                .request(2, 2, 1, LOCK, 1, -1)
                .event(6, Kind.GRANTED, 2, 1, 2)
                .event(6, Kind.HELD, 2, 1, 1)
                .event(7, Kind.RELEASE, 2, 1)
                .event(7, Kind.RELEASED, 2, 1, 1)
                .at(2, Kind.STALLED, Run.NOBODY, 0, "-", Scenario.UNIT, 0)
                .at(2, Kind.STALLED, Run.NOBODY, 0, "-", Scenario.UNIT / 2, 0)
                .at(3, Kind.STALLED, 1, 0, "-", Scenario.UNIT, 0)
                .run();
        assertThat(summary(run).lines())
                .containsExactly(
                        "acquisitions  2 of 1 locks, by 2 processes, in 700.0 ms",
                        "faults        0",
                        "writes        1 accepted, 0 stopped by their tokens",
                        "told in time  0 of 0 that lost a lock while they ran",
                        "handed over   after 1 releases in at least 100.0 ms, in the median 100.0 ms, 99 % at most 100.0 ms,"
                                + " at most 100.0 ms",
                        "              after 0 faults",
                        "too busy      the machine or the servers, for 100.0 ms in all, which excuses what is slow then",
                        "violations    none");
    }

    @Test
    void of_writesBehindAFence_countsThem() {
        Run run = new Scenario(LOCK)
                .section(1, 5, 1, 1, LOCK, 1)
                .at(2, Kind.FENCED, 1, 1, "a", 1, 0)
                .at(7, Kind.FENCED_OFF, 1, 1, "a", 1, 0)
                .run();
        assertThat(summary(run))
                .contains(
                        "writes        0 accepted, 0 stopped by their tokens; in the database 1 accepted, 1 stopped\n");
    }

    @Test
    void of_deathOfAServer_saysWhichAndHowAndCountsNothingAgainstTheLocks() {
        long flags = Run.FORGETS + Run.ENDS_RUN;
        Run run = new Scenario(LOCK)
                .section(1, 5, 1, 1, LOCK, 1)
                .request(6, 2, 1, LOCK, 1, -1)
                .event(6, Kind.GRANTED, 2, 1, 2)
                .event(6, Kind.HELD, 2, 1, 1)
                .request(6, 1, 2, LOCK, 1, -1)
                .event(8, Kind.LOST, 2, 1)
                .at(9, Kind.FAULT, Run.NOBODY, 0, "death-of-Redis-at-127.0.0.1:6379", flags, 139)
                .at(9, Kind.BUG, 1, 0, "java.lang.Error", 0, 0)
                .at(60, Kind.PHASE, Run.NOBODY, 0, "drain", 0, 0)
                .run();
        assertThat(summary(run))
                .contains("faults        0\n")
                .contains("ended early   after 900.0 ms: death of Redis at 127.0.0.1:6379, by SIGSEGV (exit code 139), "
                        + "which torture had not brought about\n")
                .contains("violations    none");
    }

    @Test
    void of_deathOfAServer_countsWhatWasBrokenBefore() {
        Run run = new Scenario(LOCK)
                .section(1, 5, 1, 1, LOCK, 1)
                .section(3, 6, 2, 1, LOCK, 2)
                .at(8, Kind.FAULT, Run.NOBODY, 0, "death-of-Redis-at-127.0.0.1:6379", Run.FORGETS + Run.ENDS_RUN, 1)
                .run();
        assertThat(summary(run)).contains("with the exit code 1,").contains("violations    1: 1 overlap\n");
    }

    @Test
    void of_violations_countsThemAndShowsTheFirstOfEachRule() {
        Scenario scenario = new Scenario(LOCK);
        for (int i = 0; i < 3; i++) {
            scenario.section(10 * i + 1, 10 * i + 5, 1, i, LOCK, 2 * i);
            scenario.section(10 * i + 3, 10 * i + 6, 2, i, LOCK, 2 * i + 1);
        }
        scenario.at(40, Kind.BUG, 2, 0, "java.lang.Error", 0, 0);
        assertThat(summary(scenario.run()))
                .contains("violations    4: 1 bug, 3 overlap\n")
                .contains("overlap, first at 300.0 ms in a: 2/0 (token 1) was let in while 1/0 (token 0) held it\n")
                .contains("bug, first at 4.00 s in -: process 2 met with java.lang.Error\n");
    }

    @Test
    void at_aShare_isTheSmallestThatSoManyDoNotExceed() {
        List<Long> sorted = List.of(1L, 2L, 3L, 4L);
        assertThat(Summary.at(sorted, 0.5)).isEqualTo(2);
        assertThat(Summary.at(sorted, 0.51)).isEqualTo(3);
        assertThat(Summary.at(sorted, 0.99)).isEqualTo(4);
        assertThat(Summary.at(sorted, 0)).isEqualTo(1);
    }
}
