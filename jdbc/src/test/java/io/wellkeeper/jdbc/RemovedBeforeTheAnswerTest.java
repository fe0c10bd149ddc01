package io.wellkeeper.jdbc;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.spi.DepartureWatcher;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A ticket is removed by another client, and the message of that comes before the answer that shows the ticket. */
@ExtendWith(SharedServers.class)
class RemovedBeforeTheAnswerTest {

    private static final String NAME = "removed";
    private static final String REQUEST = "r7"; // as it stands in the name of its ticket
    private static final Duration LONG = Duration.ofMinutes(10); // so that nobody looks by himself

    private final Tables tables = new Tables(Optional.empty(), RealDatabase.prefix());
    private final SqliteServer server;
    private final CountDownLatch told = new CountDownLatch(1);
    private @Nullable TicketQueue other;

    RemovedBeforeTheAnswerTest(SqliteServer server) {
        this.server = server;
    }

    private SqlTicketStore store(Dialect dialect) {
        return new SqlTicketStore(Database.of(server::connect, server.uri(0), dialect, tables));
    }

    private Object removing(Step step, FaultySteps.Work real) throws SQLException {
        Object result = real.run();
        TicketQueue remover = other;
        if ((step == Step.TAKE || step == Step.REPLACE) && remover != null) {
            other = null;
            Await.get(remover.tickets()).forEach(ticket -> Await.get(remover.remove(ticket)));
            try {
                assertThat(told.await(30, SECONDS)).isTrue();
            } catch (InterruptedException nobodyDoes) {
                throw new SQLException(nobodyDoes);
            }
        }
        return result;
    }

    /** Says when the message of a departure has been received and heeded. */
    private Dialect heeding(Dialect real) {
        return (Dialect) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Dialect.class}, (unused, method, arguments) -> {
                    try {
                        Object result = method.invoke(real, arguments);
                        return result instanceof Dialect.Doorbell bell ? heeding(bell) : result;
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }

    private Dialect.Doorbell heeding(Dialect.Doorbell bell) {
        return new Dialect.Doorbell() {

            private boolean received;

            @Override
            public Optional<String> await(Duration patience) throws SQLException {
                if (received) {
                    told.countDown();
                }
                Optional<String> message = bell.await(patience);
                received |= message.filter(text -> text.contains(":" + REQUEST + ":"))
                        .isPresent();
                return message;
            }
        };
    }

    /** One round trip, in which the other client removes what comes of it. */
    private interface Request {
        CompletionStage<Ticket> of(TicketQueue queue);
    }

    private void assertIsReported(Request first, Function<Ticket, Request> last) throws Exception {
        try (SqlTicketStore owner = store(FaultySteps.of(heeding(new Sqlite()), this::removing));
                SqlTicketStore remover = store(new Sqlite())) {
            Session removing = Sessions.open(remover, LONG);
            Session owning = Sessions.open(owner, LONG);
            TicketQueue queue = owning.queue(NAME);
            Ticket before = Await.get(first.of(queue));
            other = removing.queue(NAME);
            Ticket ticket = Await.get(last.apply(before).of(queue));

            CompletableFuture<Ticket> departed = new CompletableFuture<>();
            queue.onDeparture(List.of(ticket), new DepartureWatcher() {

                @Override
                public void departed(Ticket one) {
                    departed.complete(one);
                }

                @Override
                public void changed() {}
            });

            assertThat(departed.get(30, SECONDS)).isEqualTo(ticket);
            Await.get(owning.close());
            Await.get(removing.close());
        }
    }

    private static CompletionStage<Ticket> take(TicketQueue queue, String request) {
        return queue.take(Sessions.request(request)).thenApply(Place::ticket);
    }

    @Test
    void onDeparture_ofOwnTicketRemovedBeforeItWasKnown_isReported() throws Exception {
        assertIsReported(queue -> take(queue, "before"), before -> queue -> take(queue, REQUEST));
    }

    @Test
    void onDeparture_ofOwnTicketReplacedAndRemovedBeforeThatWasKnown_isReported() throws Exception {
        assertIsReported(queue -> take(queue, REQUEST), before -> queue -> queue.replace(before, Mode.SHARED, 1));
    }
}
