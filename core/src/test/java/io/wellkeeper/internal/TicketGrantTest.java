package io.wellkeeper.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** What a grant tells of the end of its ticket. */
class TicketGrantTest {

    private static final String NAME = "l";

    private final LiveSession session = new LiveSession(
            Pretended.of(Session.class, method -> Duration.ofDays(1)),
            new StoppedTime(),
            0,
            (name, ticket) -> {},
            failure -> {});
    private final TicketQueue queue = Pretended.of(TicketQueue.class, method -> new CompletableFuture<>());
    private final Ticket ticket = new Ticket(7, "id", "me", Mode.SHARED, 1);
    private final TicketGrant grant =
            new TicketGrant(NAME, session, queue, new Place(ticket, 7, List.of()), false, new Description(""));

    /** Another thread wants to read beside the holder, between two steps of the one who breaks the lock. */
    @Test
    void departed_noticedByWhoeverAskedBefore_isToldAllTheSame() {
        AtomicBoolean told = new AtomicBoolean();
        grant.begin(() -> told.set(true));
        session.taken(NAME, ticket);
        session.beginBreak();
        session.broken(NAME, ticket);
        assertThat(grant.valid()).isFalse();
        assertThat(told).isFalse();

        grant.departed(ticket);

        assertThat(told).isTrue();
    }
}
