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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
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

    /** Another thread has given some permits back, between two steps of the one who writes. */
    @Test
    void describe_ticketIsReplacedMeanwhile_isWrittenAgain() {
        Ticket two = new Ticket(8, "two", "me", Mode.EXCLUSIVE, 2);
        Ticket one = new Ticket(8, "one", "me", Mode.EXCLUSIVE, 1);
        AtomicInteger written = new AtomicInteger();
        AtomicReference<Runnable> meanwhile = new AtomicReference<>();
        TicketQueue replacing = Pretended.of(TicketQueue.class, method -> {
            if (method.getName().equals("replace")) {
                return CompletableFuture.completedFuture(one);
            }
            written.incrementAndGet();
            meanwhile.getAndSet(() -> {}).run();
            return CompletableFuture.completedFuture(null);
        });
        TicketGrant permits = new TicketGrant(
                NAME, session, replacing, new Place(two, 8, List.of()), false, new Description("who waits"));
        meanwhile.set(() -> permits.soften(Mode.EXCLUSIVE, 1));

        permits.describe("who holds");
        permits.describe("who holds");
        permits.describe("who holds");

        assertThat(permits.ticket()).isEqualTo(one);
        assertThat(written).hasValue(2);
    }
}
