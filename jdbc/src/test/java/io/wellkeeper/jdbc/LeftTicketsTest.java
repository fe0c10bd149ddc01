package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.spi.DepartureWatcher;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A client that held many locks has died: nobody else's request clears them all away, because heartbeats wait for it. */
@Tag("full")
@ExtendWith(SharedServers.class)
class LeftTicketsTest {

    private static final int LEFT = 200;
    private static final int MOST = 50;
    private static final int WAITING = 5;

    @Test
    void take_deadClientOfPostgresHasLeftManyTickets_asksLittle(PostgresServer server) throws Exception {
        assertAsksLittle(server);
    }

    @Test
    void take_deadClientOfMariaDbHasLeftManyTickets_asksLittle(MariaDbServer server) throws Exception {
        assertAsksLittle(server);
    }

    @Test
    void heartbeat_deadClientOfPostgresHasLeftManyTicketsOfOneLock_asksLittle(PostgresServer server) throws Exception {
        assertAsksLittleOfOneLock(server);
    }

    @Test
    void heartbeat_deadClientOfMariaDbHasLeftManyTicketsOfOneLock_asksLittle(MariaDbServer server) throws Exception {
        assertAsksLittleOfOneLock(server);
    }

    @Test
    void sweep_manyWaitBehindWhatADeadClientHasLeftInPostgres_oneIsToldOfEach(PostgresServer server) throws Exception {
        Tables tables = new Tables(Optional.empty(), RealDatabase.prefix());
        try (SqlTicketStore dying = store(server, tables, new AtomicInteger());
                SqlTicketStore living = store(server, tables, new AtomicInteger());
                Connection connection = server.connect()) {
            Session dead = Sessions.open(dying, Duration.ofMinutes(10));
            for (int i = 0; i < WAITING; i++) {
                Await.get(dead.queue("left").take(Sessions.request("left" + i)));
            }
            List<Ticket> waiting = new ArrayList<>();
            for (int i = 0; i < WAITING; i++) {
                Session one = Sessions.open(living, Duration.ofMinutes(10));
                waiting.add(Await.get(one.queue("left").take(Sessions.request("waits")))
                        .ticket());
            }
            Session last = Sessions.open(living, Duration.ofMinutes(10));
            execute(connection, "UPDATE {session} SET expires = '-infinity' WHERE id = '" + dead.id() + "'", tables);

            List<Object[]> swept = Await.get(((SqlSession) last).run(Step.SWEEP, Map.of("name", "left")));

            assertThat(swept.get(0)).containsExactly(1L, (long) WAITING, (long) WAITING);
            assertThat(Await.get(last.queue("left").tickets())).isEqualTo(waiting);
        }
    }

    private static void assertAsksLittleOfOneLock(Servers server) throws Exception {
        Tables tables = new Tables(Optional.empty(), RealDatabase.prefix());
        AtomicInteger requests = new AtomicInteger();
        try (SqlTicketStore dying = store(server, tables, new AtomicInteger());
                SqlTicketStore living = store(server, tables, requests);
                Connection connection = server.connect()) {
            Session survivor = Sessions.open(living, Duration.ofMinutes(10));
            Session dead = Sessions.open(dying, Duration.ofMinutes(10));
            List<CompletionStage<Place>> left = new ArrayList<>();
            for (int i = 0; i < LEFT; i++) {
                left.add(dead.queue("left").take(Sessions.request("left" + i)));
            }
            Ticket last = Await.get(left.get(LEFT - 1)).ticket();
            TicketQueue queue = survivor.queue("left");
            Ticket mine = Await.get(queue.take(Sessions.request("next"))).ticket();
            Queue<Ticket> departed = new ConcurrentLinkedQueue<>();
            queue.onDeparture(List.of(last), new DepartureWatcher() {
                @Override
                public void departed(Ticket ticket) {
                    departed.add(ticket);
                }

                @Override
                public void changed() {}
            });
            execute(
                    connection,
                    "UPDATE {session} SET expires = " + server.past() + " WHERE id = '" + dead.id() + "'",
                    tables);
            requests.set(0);

            Await.get(survivor.heartbeat());
            await(() -> departed.contains(last));

            assertThat(requests.get()).isLessThan(MOST);
            assertThat(Await.get(queue.tickets())).containsExactly(mine);
        }
    }

    private static void assertAsksLittle(Servers server) throws Exception {
        Tables tables = new Tables(Optional.empty(), RealDatabase.prefix());
        AtomicInteger requests = new AtomicInteger();
        SqlTicketStore dying = store(server, tables, new AtomicInteger());
        SqlTicketStore living = store(server, tables, requests);
        try (Connection connection = server.connect()) {
            Session survivor = Sessions.open(living, Duration.ofMinutes(10));
            Session dead = Sessions.open(dying, Duration.ofMinutes(10));
            List<CompletionStage<Place>> left = new ArrayList<>();
            for (int i = 0; i < LEFT; i++) {
                left.add(dead.queue("left/" + i).take(Sessions.request("left" + i)));
            }
            left.forEach(Await::get);
            execute(
                    connection,
                    "UPDATE {session} SET expires = " + server.past() + " WHERE id = '" + dead.id() + "'",
                    tables);
            requests.set(0);

            Place place = Await.get(survivor.queue("left/7").take(Sessions.request("next")));

            assertThat(requests.get()).isLessThan(MOST);
            assertThat(place.ahead()).isEmpty();

            Await.get(survivor.heartbeat());
            await(() -> Await.get(survivor.names("left/")).equals(List.of("left/7")));
        } finally {
            dying.close();
            living.close();
        }
    }

    private static void await(BooleanSupplier condition) {
        Awaitility.await().atMost(Duration.ofSeconds(60)).until(condition::getAsBoolean);
    }

    private static void execute(Connection connection, String sql, Tables tables) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(tables.fill(sql));
        }
    }

    private static SqlTicketStore store(Servers server, Tables tables, AtomicInteger requests) {
        return new SqlTicketStore(
                Database.of(() -> counting(server.connect(), requests), "left", server.dialect(), tables));
    }

    /** Counts what is prepared, as every request is. */
    private static Connection counting(Connection connection, AtomicInteger requests) {
        return (Connection) Proxy.newProxyInstance(
                LeftTicketsTest.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (self, method, arguments) -> {
                    if (method.getName().equals("prepareStatement")) {
                        requests.incrementAndGet();
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException failed) {
                        throw failed.getCause();
                    }
                });
    }
}
