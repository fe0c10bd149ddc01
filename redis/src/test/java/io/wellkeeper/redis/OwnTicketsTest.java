package io.wellkeeper.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Ticket;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OwnTicketsTest {

    private final OwnTickets tickets = new OwnTickets();

    private static Ticket ticket(long number, int generation) {
        return TicketIds.parse(
                number + ":0123456789abc:r" + number + ":" + generation + ":" + TicketIds.shape(Mode.EXCLUSIVE, 1));
    }

    @Test
    void numbers_ticketsOfSeveralLocks_areThoseOfTheLockThatHaveNotGone() {
        Ticket gone = ticket(1, 0);
        tickets.add("a", gone);
        tickets.add("a", ticket(2, 0));
        tickets.add("b", ticket(3, 0));

        assertThat(tickets.remove(gone.id())).isEqualTo(new OwnTickets.Own("a", gone));

        assertThat(tickets.numbers("a")).containsExactly(2L);
        assertThat(tickets.numbers("b")).containsExactly(3L);
        assertThat(tickets.numbers("c")).isEmpty();
        assertThat(tickets.names())
                .isEqualTo(Map.of(ticket(2, 0).id(), "a", ticket(3, 0).id(), "b"));
    }

    @Test
    void remove_againOrWhatWasReplaced_leavesTheOneInItsPlace() {
        Ticket old = ticket(1, 0);
        Ticket milder = ticket(1, 1);
        tickets.add("a", old);
        tickets.add("a", milder);

        tickets.remove(old.id());

        assertThat(tickets.remove(old.id())).isNull();
        assertThat(tickets.numbers("a")).containsExactly(1L);
        assertThat(tickets.ticket(milder.id())).isEqualTo(milder);
        assertThat(tickets.contains(old.id())).isFalse();
    }

    @Test
    void remove_theLastOfALock_leavesNothing() {
        Ticket only = ticket(1, 0);
        tickets.add("a", only);

        tickets.remove(only.id());

        assertThat(tickets.numbers("a")).isEmpty();
        assertThat(tickets.names()).isEmpty();
        assertThat(tickets.ticket(only.id())).isNull();
    }
}
