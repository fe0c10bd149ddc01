package io.wellkeeper.torture;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.torture.Event.Kind;
import java.util.List;
import org.junit.jupiter.api.Test;

class TimelineTest {

    private static final Lock LOCK = Lock.mutex("a", true);

    @Test
    void rows_severalAtATime_doNotOverlap() {
        Scenario scenario = new Scenario(LOCK);
        for (int i = 0; i < 10; i++) {
            scenario.section(i, i + 3, 1, i, LOCK, i);
        }
        Timeline timeline = new Timeline(scenario.run());
        assertThat(timeline.rows()).hasSize(3);
        for (Timeline.Row row : timeline.rows()) {
            List<Section> sections = row.sections();
            for (int i = 1; i < sections.size(); i++) {
                assertThat(sections.get(i).request).isGreaterThanOrEqualTo(timeline.end(sections.get(i - 1)));
            }
        }
        assertThat(timeline.rows().stream()
                        .mapToInt(row -> row.sections().size())
                        .sum())
                .isEqualTo(10);
    }

    @Test
    void rows_tooManyAtATime_areBounded() {
        Scenario scenario = new Scenario(LOCK);
        for (int i = 0; i < 1_000; i++) {
            scenario.section(i, 2_000, 1, i, LOCK, i);
        }
        List<Timeline.Row> rows = new Timeline(scenario.run()).rows();
        assertThat(rows).hasSize(12);
        assertThat(rows.stream().mapToInt(row -> row.sections().size()).sum()).isEqualTo(1_000);
    }

    @Test
    void worker_processWasReplaced_isTheSame() {
        Scenario scenario = new Scenario(LOCK)
                .section(1, 2, 1, 1, LOCK, 1)
                .section(2, 3, 2, 1, LOCK, 2)
                .at(5, Kind.GONE, 1, 0, "-", 1, 0)
                .section(6, 7, 3, 1, LOCK, 3)
                .section(7, 8, 2, 2, LOCK, 4);
        Timeline timeline = new Timeline(scenario.run());
        assertThat(timeline.workers()).isEqualTo(2);
        assertThat(timeline.worker(1)).isEqualTo(1);
        assertThat(timeline.worker(2)).isEqualTo(2);
        assertThat(timeline.worker(3)).isEqualTo(1);
        assertThat(timeline.worker(0)).isZero();
    }

    @Test
    void end_processWasKilledInside_isItsEnd() {
        Scenario scenario = new Scenario(LOCK)
                .request(1, 1, 1, LOCK, 1, -1)
                .event(2, Kind.GRANTED, 1, 1, 1)
                .at(5, Kind.GONE, 1, 0, "-", 1, 0)
                .section(8, 9, 2, 1, LOCK, 2);
        Timeline timeline = new Timeline(scenario.run());
        assertThat(timeline.end(timeline.rows().get(0).sections().get(0))).isEqualTo(5 * Scenario.UNIT);
    }
}
