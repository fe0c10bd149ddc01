package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.DistributedSemaphore;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.Permits;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Behind something that swallows {@code LISTEN}, as a pooler does that gives each transaction another connection. */
@Tag("full")
@ExtendWith(SharedServers.class)
class PollingTest {

    private final PostgresServer server;
    private final AtomicBoolean swallows = new AtomicBoolean(true);
    private LockClient first;
    private LockClient second;

    PollingTest(PostgresServer server) {
        this.server = server;
    }

    @BeforeEach
    void connect() {
        first = client();
        second = client();
        await().until(() -> isWarned(first) && isWarned(second));
    }

    @AfterEach
    void disconnect() {
        first.close();
        second.close();
    }

    private static boolean isWarned(LockClient client) {
        return client.admin().storeWarnings().stream().anyMatch(warning -> warning.contains("do not arrive"));
    }

    @Test
    void unlock_messagesAreSwallowed_nextIsLetInLongBeforeTheSlowRound() throws Exception {
        long begin = System.nanoTime();

        for (int i = 0; i < 10; i++) {
            LockHandle handle = (i % 2 == 0 ? first : second).lock("polled").acquire();
            CompletableFuture<LockHandle> next =
                    (i % 2 == 0 ? second : first).lock("polled").acquireAsync().toCompletableFuture();
            assertThat(next).isNotDone();
            handle.close();
            next.get(60, TimeUnit.SECONDS).close();
        }

        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(18)); // of twenty
    }

    @Test
    void unlock_nobodyElseWaited_isHadByTheOther() throws Exception {
        DistributedLock lock = first.lock("retained");
        lock.lock();
        lock.unlock();

        second.lock("retained").acquire().close();

        first.lock("retained").acquire().close();
    }

    @Test
    void resize_messagesAreSwallowed_waiterIsLetIn() throws Exception {
        DistributedSemaphore narrow = first.semaphore("polled semaphore", 1);
        LockHandle handle = narrow.acquire();
        DistributedSemaphore same = second.semaphore("polled semaphore", 1);
        assertThat(same.tryAcquire()).isEmpty();
        CompletableFuture<Permits> waiting = same.acquireAsync(1);

        narrow.resize(2);

        waiting.get(60, TimeUnit.SECONDS).close();
        handle.close();
    }

    @Test
    void listen_isSwallowedNoMore_warningGoes() throws Exception {
        swallows.set(false);
        server.restart();

        await().atMost(Duration.ofSeconds(60)).until(() -> !isWarned(first) && !isWarned(second));

        first.lock("healed").acquire().close();
    }

    private LockClient client() {
        Database.Source source = () -> deaf(Connection.class, server.connect());
        Database database =
                Database.of(source, "a database", new PostgreSql(), new Tables(Optional.empty(), Tables.PREFIX));
        return LockClient.over(
                new SqlTicketStore(database),
                ClientOptions.builder().sessionTimeout(Duration.ofSeconds(20)).build());
    }

    private <T> T deaf(Class<T> type, T target) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, with) -> {
            if (swallows.get() && with != null && with[0] instanceof String sql && sql.startsWith("LISTEN")) {
                return false;
            }
            try {
                Object result = method.invoke(target, with);
                return result instanceof Statement made && method.getName().equals("createStatement")
                        ? deaf(Statement.class, made)
                        : result;
            } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
            }
        }));
    }
}
