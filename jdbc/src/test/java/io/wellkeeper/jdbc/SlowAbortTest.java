package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.spi.Time;
import io.wellkeeper.testservers.TcpProxy;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A driver may wait for the server while it breaks a connection: MariaDB's makes another one, by which to end what is being done
 * on the first. This one waits until the end of the test.
 */
class SlowAbortTest {

    private static final RealDatabase DATABASE = RealDatabase.MARIADB;

    private final CountDownLatch aborting =
            new CountDownLatch(2); // the connection for requests, by its thread, and the other
    private final CountDownLatch over = new CountDownLatch(1);
    private final Tables tables = new Tables(Optional.empty(), RealDatabase.prefix());

    @AfterEach
    void letAbort() {
        over.countDown();
    }

    private Connection slow(Connection connection) {
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("abort")) {
                        aborting.countDown();
                        over.await();
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }

    @Test
    void close_serverIsSilentAndDriverWaits_alarmsOfStoresGoOff() throws Exception {
        try (TcpProxy proxy = TcpProxy.of(DATABASE.port())) {
            PlainDataSource source = () -> slow(DATABASE.through(proxy.port()));
            LockClient client = LockClient.over(
                    SqlTicketStore.over(source),
                    ClientOptions.builder()
                            .sessionTimeout(Duration.ofSeconds(2))
                            .closeTimeout(Duration.ZERO)
                            .build());
            proxy.swallow(true);

            client.close();

            assertThat(aborting.await(30, TimeUnit.SECONDS)).isTrue();
            CompletableFuture<Void> alarm = new CompletableFuture<>();
            Time.later(Duration.ZERO, () -> alarm.complete(null));
            assertThat(alarm).succeedsWithin(Duration.ofSeconds(10));
            over.countDown();
        }
    }

    @Test
    void listenAgain_driverWaits_isNotWaitedFor() throws Exception {
        Database database = JdbcPlace.of((PlainDataSource) DATABASE::getConnection, tables, new PostgreSql());
        Database slow = database.from(() -> slow(DATABASE.getConnection()));
        try (Connection first = DATABASE.getConnection()) {
            database.dialect().createTables(first, tables);
        }
        CountDownLatch again = new CountDownLatch(1);
        Messages messages =
                new Messages(slow, new Health(Sessions.SILENT, "here"), "me", new Hearing(again::countDown));
        messages.start("messages");

        CompletableFuture<Void> asked = CompletableFuture.runAsync(messages::listenAgain);

        assertThat(asked).succeedsWithin(Duration.ofSeconds(10));
        over.countDown();
        assertThat(again.await(30, TimeUnit.SECONDS)).isTrue();
        messages.close();
    }

    private record Hearing(Runnable again) implements Messages.Receiver {

        @Override
        public void message(String text) {}

        @Override
        public void listening() {
            again.run();
        }

        @Override
        public void deaf() {}
    }
}
