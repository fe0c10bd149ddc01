package io.wellkeeper.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Ticket;
import java.util.List;
import org.junit.jupiter.api.Test;

class SightTest {

    private final Ticket writer = ticket(0, Mode.WRITE);
    private final Ticket reader = ticket(1, Mode.SHARED);
    private final Sight sight = new Sight();

    @Test
    void drawn_oneWhoMayHaveBeenReplacedDepartedMeanwhile_isInDoubtUntilTheQueueIsSeen() {
        int question = sight.ask();
        sight.departed(writer, true);
        sight.answer(question);
        sight.drawn(List.of(writer, reader));

        assertThat(sight.ahead()).containsExactly(reader);
        assertThat(sight.isInDoubt()).isTrue();
        sight.departed(reader, false);
        assertThat(sight.isInDoubt()).isTrue();

        sight.answer(sight.ask());
        sight.seen(List.of(ticket(2, Mode.WRITE)), ticket(2, Mode.WRITE));
        assertThat(sight.isInDoubt()).isFalse();
    }

    @Test
    void seen_shownTicketsHaveDepartedMeanwhile_onlyOneThatMayHaveBeenReplacedStays() {
        int question = sight.ask();
        sight.departed(writer, true);
        sight.departed(reader, false);
        sight.answer(question);
        sight.seen(List.of(writer, reader, ticket(2, Mode.WRITE)), ticket(2, Mode.WRITE));

        assertThat(sight.ahead()).containsExactly(writer);
    }

    @Test
    void foremost_othersWereAhead_leavesOnlyItAndThoseBehind() {
        sight.drawn(List.of(writer, reader, ticket(2, Mode.WRITE)));

        assertThat(sight.foremost(reader)).isTrue();
        assertThat(sight.ahead()).containsExactly(reader, ticket(2, Mode.WRITE));
        assertThat(sight.foremost(reader)).isFalse();
        assertThat(sight.foremost(ticket(3, Mode.WRITE))).isFalse();
    }

    private static Ticket ticket(long number, Mode mode) {
        return new Ticket(number, "t" + number, "session", mode, 1);
    }
}
