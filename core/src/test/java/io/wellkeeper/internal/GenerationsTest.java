package io.wellkeeper.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.internal.Generations.Generation;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.Ticket;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which generations a notice tells of: the newest, and those in which somebody lives. */
class GenerationsTest {

    private static final int MANY = 200;
    private static final int FEW = 20;

    private static Ticket ticket(long number) {
        return new Ticket(number, "t" + number, "s", Mode.SHARED, 1);
    }

    @Test
    void with_oneWhoHasPassedLives_onlyHisGenerationIsKeptBesideTheNewest() {
        Ticket slow = ticket(1);
        Generations all =
                Generations.of(new Notice("", 0)).with(List.of(List.of(slow, ticket(2))), List.of(slow, ticket(2)));

        for (int i = 0; i < MANY; i++) {
            List<Ticket> parties = List.of(ticket(2L * i + 3), ticket(2L * i + 4));
            all = all.with(List.of(parties), List.of(slow, parties.get(0), parties.get(1)));
        }

        assertThat(all.all()).hasSizeLessThan(FEW);
        assertThat(all.of(1)).contains(new Generation(Long.MIN_VALUE + 1, 2, "1..2"));
        assertThat(all.passed()).isEqualTo(2L * MANY + 2);
    }

    @Test
    void with_severalAtOnce_eachBeginsBehindTheOneBefore() {
        List<Ticket> living = List.of(ticket(3), ticket(5), ticket(6), ticket(9));

        Generations both =
                Generations.of(new Notice("", 0)).with(List.of(living.subList(0, 2), living.subList(2, 4)), living);

        assertThat(both.all())
                .containsExactly(new Generation(Long.MIN_VALUE + 1, 5, "3 5"), new Generation(6, 9, "6 9"));
    }
}
