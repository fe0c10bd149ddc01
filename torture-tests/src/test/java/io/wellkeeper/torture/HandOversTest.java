package io.wellkeeper.torture;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.torture.Event.Kind;
import org.junit.jupiter.api.Test;

class HandOversTest {

    private static final Lock LOCK = Lock.mutex("a", true);

    private static Scenario waiting(Scenario scenario, long from, long granted, int process) {
        return scenario.request(from, process, 9, LOCK, 1, -1)
                .event(granted, Kind.GRANTED, process, 9, 9)
                .event(granted, Kind.HELD, process, 9, 1)
                .event(granted + 1, Kind.RELEASE, process, 9)
                .event(granted + 1, Kind.RELEASED, process, 9, 1);
    }

    @Test
    void of_nextOneWaited_countsFromTheRelease() {
        HandOvers found = HandOvers.of(waiting(new Scenario(LOCK).section(1, 5, 1, 1, LOCK, 1), 2, 7, 2)
                .run());
        assertThat(found.afterRelease()).containsExactly(2 * Scenario.UNIT);
        assertThat(found.afterFault()).isEmpty();
    }

    @Test
    void of_nextOneCameLater_countsNothing() {
        HandOvers found = HandOvers.of(waiting(new Scenario(LOCK).section(1, 5, 1, 1, LOCK, 1), 6, 7, 2)
                .run());
        assertThat(found.afterRelease()).isEmpty();
        assertThat(found.afterFault()).isEmpty();
    }

    @Test
    void of_holderWasKilled_countsFromTheFault() {
        Scenario scenario = new Scenario(LOCK)
                .request(1, 1, 1, LOCK, 1, -1)
                .event(1, Kind.GRANTED, 1, 1, 1)
                .event(1, Kind.HELD, 1, 1, 1)
                .fault(3, 4, 1, 1, FaultKind.KILL)
                .at(3, Kind.GONE, 1, 0, "-", 1, 0);
        HandOvers found = HandOvers.of(waiting(scenario, 2, 9, 2).run());
        assertThat(found.afterFault()).containsExactly(6 * Scenario.UNIT);
        assertThat(found.afterRelease()).isEmpty();
    }

    @Test
    void of_nextOneWasStoppedItself_countsNothing() {
        Scenario scenario = new Scenario(LOCK).section(1, 5, 1, 1, LOCK, 1).fault(4, 8, 2, 1, FaultKind.PAUSE);
        HandOvers found = HandOvers.of(waiting(scenario, 2, 9, 2).run());
        assertThat(found.afterRelease()).isEmpty();
    }
}
