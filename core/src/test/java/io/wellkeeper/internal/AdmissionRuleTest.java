package io.wellkeeper.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Ticket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class AdmissionRuleTest {

    @Test
    void permits_one_onlyThePredecessorBlocks() {
        AdmissionRule mutex = AdmissionRule.permits(1);

        assertThat(mutex.blockers(ticket(3), List.of())).isEmpty();
        assertThat(numbers(mutex.blockers(ticket(3), tickets(1, 2)))).containsExactly(2L);
    }

    @Test
    void permits_two_eitherOfTheTwoAheadMayLetMeIn() {
        AdmissionRule two = AdmissionRule.permits(2);

        assertThat(two.blockers(ticket(2), tickets(1))).isEmpty();
        assertThat(numbers(two.blockers(ticket(3), tickets(1, 2)))).containsExactly(1L, 2L);
        assertThat(numbers(two.blockers(ticket(9), tickets(1, 2, 3, 4)))).containsExactly(3L, 4L);
    }

    @Test
    void permits_weighted_countWhatEachOneWants() {
        AdmissionRule five = AdmissionRule.permits(5);

        assertThat(five.blockers(weighing(3, 2), List.of(weighing(1, 1), weighing(2, 2))))
                .isEmpty();
        assertThat(numbers(five.blockers(weighing(3, 3), List.of(weighing(1, 1), weighing(2, 2)))))
                .containsExactly(1L, 2L);
        assertThat(numbers(five.blockers(weighing(3, 5), List.of(weighing(1, 1), weighing(2, 2)))))
                .containsExactly(2L);
    }

    @Test
    void shared_onlyTheLastExclusiveTicketBlocks() {
        AdmissionRule shared = AdmissionRule.shared();
        Ticket reader = new Ticket(9, "9", "s", Mode.SHARED, 1);

        assertThat(shared.blockers(reader, List.of(reading(1), reading(2)))).isEmpty();
        assertThat(numbers(shared.blockers(reader, List.of(ticket(1), ticket(2), reading(3)))))
                .containsExactly(2L);
    }

    @Test
    void worthWatching_mutex_isThePredecessorAndTheOneBeforeIt() {
        assertThat(numbers(AdmissionRule.permits(1).worthWatching(ticket(4), tickets(1, 2, 3))))
                .containsExactly(3L, 2L);
        assertThat(AdmissionRule.permits(1).worthWatching(ticket(4), List.of())).isEmpty();
    }

    /** Against the definition: in exactly when all those ahead and mine fit; a blocker's departure alone may change it. */
    @Test
    void permits_anyQueue_agreeWithTheDefinition() {
        Random random = new Random(42);
        for (int round = 0; round < 2_000; round++) {
            int available = 1 + random.nextInt(6);
            Ticket mine = weighing(100, 1 + random.nextInt(available));
            List<Ticket> ahead = new ArrayList<>();
            int wanted = mine.permits();
            for (int i = random.nextInt(8); i > 0; i--) {
                Ticket ticket = weighing(10 - i, 1 + random.nextInt(available));
                ahead.add(ticket);
                wanted += ticket.permits();
            }
            AdmissionRule rule = AdmissionRule.permits(available);
            List<Ticket> blockers = rule.blockers(mine, ahead);

            assertThat(blockers.isEmpty()).isEqualTo(wanted <= available);
            for (Ticket gone : ahead) {
                List<Ticket> rest = new ArrayList<>(ahead);
                rest.remove(gone);
                assertThat(ahead).containsAll(rule.blockers(mine, rest));
                if (!blockers.isEmpty() && !blockers.contains(gone)) {
                    assertThat(rule.blockers(mine, rest)).isNotEmpty();
                }
            }
        }
    }

    private static List<Long> numbers(List<Ticket> tickets) {
        return tickets.stream().map(Ticket::number).toList();
    }

    private static List<Ticket> tickets(long... numbers) {
        return Arrays.stream(numbers).mapToObj(AdmissionRuleTest::ticket).toList();
    }

    private static Ticket ticket(long number) {
        return weighing(number, 1);
    }

    private static Ticket weighing(long number, int permits) {
        return new Ticket(number, Long.toString(number), "s", Mode.EXCLUSIVE, permits);
    }

    private static Ticket reading(long number) {
        return new Ticket(number, Long.toString(number), "s", Mode.SHARED, 1);
    }
}
