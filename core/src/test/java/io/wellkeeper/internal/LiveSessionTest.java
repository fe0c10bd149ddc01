package io.wellkeeper.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What a session remembers of its tickets when its own client breaks a lock. */
class LiveSessionTest {

    private static final String NAME = "l";

    private final CompletableFuture<Boolean> removal = new CompletableFuture<>();
    private final LiveSession session = new LiveSession(
            Pretended.of(Session.class, method -> Duration.ofDays(1)),
            new StoppedTime(),
            0,
            (name, ticket) -> {},
            failure -> {});
    private final TicketQueue queue = Pretended.of(TicketQueue.class, method -> removal);
    private final Ticket ticket = new Ticket(7, "id", "me", Mode.WRITE, 1);

    /** All that it knows of its own tickets, which must not grow with the number of those that there ever were. */
    private void assertNothingIsRemembered() throws ReflectiveOperationException {
        for (Field field : LiveSession.class.getDeclaredFields()) {
            field.setAccessible(true);
            if (field.get(session) instanceof Map<?, ?> map) {
                assertThat(map).as(field.getName()).isEmpty();
            }
            if (field.get(session) instanceof Iterable<?> set) {
                assertThat(set).as(field.getName()).isEmpty();
            }
        }
    }

    @Test
    void broken_beforeItIsKnown_doesNotLiveWhenItIs() throws Exception {
        session.beginBreak();
        session.broken(NAME, ticket);
        session.endBreak();

        assertThat(session.taken(NAME, ticket)).isFalse();

        assertNothingIsRemembered();
    }

    @Test
    void broken_twiceBeforeItIsKnown_doesNotLiveWhenItIs() throws Exception {
        session.beginBreak();
        session.broken(NAME, ticket);
        session.broken(NAME, ticket);

        assertThat(session.taken(NAME, ticket)).isFalse();

        session.broken(NAME, ticket);
        session.endBreak();
        assertNothingIsRemembered();
    }

    @Test
    void broken_givenBackMeanwhile_isForgotten() throws Exception {
        session.taken(NAME, ticket);
        session.beginBreak();
        session.giveBack(NAME, queue, ticket);
        removal.complete(true);

        session.broken(NAME, ticket);

        session.endBreak();
        assertNothingIsRemembered();
    }

    @Test
    void broken_wasBeingGivenBackWhenTheBreakBegan_isForgotten() throws Exception {
        session.taken(NAME, ticket);
        session.giveBack(NAME, queue, ticket);
        session.beginBreak();
        removal.complete(true);

        session.broken(NAME, ticket);

        session.endBreak();
        assertNothingIsRemembered();
    }

    @Test
    void broken_replacedMeanwhile_isForgotten() throws Exception {
        session.taken(NAME, ticket);
        session.beginBreak();
        session.replaced(NAME, ticket);

        session.broken(NAME, ticket);

        session.endBreak();
        assertNothingIsRemembered();
    }

    @Test
    void broken_byTwoAtOnce_isForgotten() throws Exception {
        session.taken(NAME, ticket);
        session.beginBreak();
        session.beginBreak();
        session.broken(NAME, ticket);
        session.endBreak();

        session.broken(NAME, ticket);

        session.endBreak();
        assertNothingIsRemembered();
    }
}
