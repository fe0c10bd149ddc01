package io.wellkeeper.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class CheckerAgainstBruteForceTest {

    private static final int WILD = 30_000;
    private static final int SOUND = 3_000;
    private static final Set<String> ORDER = Set.of("overlap", "token-order", "token-reuse");
    private static final Set<String> COMPARED = Set.of(
            "order",
            "idle-lock",
            "overtaken",
            "told-late",
            "stale-write",
            "silent-release",
            "unprovoked-loss",
            "unprovoked-failure",
            "slow-answer",
            "refused-holder",
            "stuck",
            "late-return",
            "early-return",
            "blind-after-pause");

    /** Both say the same of anything, and each rule has been broken and been kept often enough. */
    @Test
    void check_wildHistories_findsWhatTheDefinitionsSay() {
        Map<String, Integer> counts = new TreeMap<>();
        for (int seed = 1; seed <= WILD; seed++) {
            Scenario history = new RandomHistory(seed).wild(2 + seed % 5);
            Set<String> expected = new BruteForce(history.run()).broken();
            assertThat(compared(history.broken()))
                    .as("seed %s: %s", seed, lines(history))
                    .isEqualTo(expected);
            expected.forEach(rule -> counts.merge(rule, 1, Integer::sum));
        }
        assertThat(counts).containsOnlyKeys(COMPARED);
        assertThat(counts.values()).allSatisfy(count -> assertThat(count).isBetween(WILD / 1_000, WILD - WILD / 10));
    }

    @Test
    void check_soundLocks_findsNothing() {
        for (int seed = 1; seed <= SOUND; seed++) {
            Scenario history = new RandomHistory(seed).sound(30);
            assertThat(history.broken()).as("seed %s: %s", seed, lines(history)).isEmpty();
        }
    }

    private static Set<String> compared(List<String> broken) {
        Set<String> named = new TreeSet<>();
        broken.forEach(rule -> named.add(ORDER.contains(rule) ? "order" : rule));
        named.retainAll(COMPARED);
        return named;
    }

    private static String lines(Scenario history) {
        return "\n"
                + String.join("\n", history.events().stream().map(Event::line).toList());
    }
}
