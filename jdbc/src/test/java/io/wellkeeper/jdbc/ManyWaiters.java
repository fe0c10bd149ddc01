package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.spi.StoreUri;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(SharedServers.class)
abstract class ManyWaiters {

    private static final int WAITERS = 300;
    private static final int NAMES = 30;

    private final Servers server;

    ManyWaiters(Servers server) {
        this.server = server;
    }

    @Test
    void lock_manyThreadsOnManyNames_twoConnectionsForEachClient() throws Exception {
        List<Thread> waiting = new ArrayList<>();
        ExecutorService threads = Executors.newFixedThreadPool(WAITERS, task -> {
            Thread thread = new Thread(task);
            waiting.add(thread);
            return thread;
        });
        try (LockClient holder = client();
                LockClient waiter = client()) {
            for (int i = 0; i < NAMES; i++) {
                holder.lock("name-" + i).lock();
            }
            CountDownLatch begun = new CountDownLatch(WAITERS);
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < WAITERS; i++) {
                String name = "name-" + i % NAMES;
                all.add(threads.submit(() -> {
                    begun.countDown();
                    waiter.lock(name).lock();
                    waiter.lock(name).unlock();
                }));
            }
            assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
            await().until(() -> waiting.stream().allMatch(thread -> thread.getState() == Thread.State.WAITING));
            for (int i = 0; i < NAMES; i++) {
                String name = "name-" + i;
                await().until(() -> waiter.admin().inspect(name).waiters().size() == 1);
            }

            assertThat(connections()).isEqualTo(4);
            for (int i = 0; i < NAMES; i++) {
                holder.lock("name-" + i).unlock();
            }
            for (Future<?> one : all) {
                one.get(60, TimeUnit.SECONDS);
            }
            assertThat(connections()).isEqualTo(4);
        } finally {
            threads.shutdownNow();
        }
    }

    private LockClient client() {
        SqlTicketStore store = SqlTicketStore.of(StoreUri.parse(server.uri(server.port())));
        return LockClient.over(store, ClientOptions.builder().build());
    }

    private int connections() throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(server.connections())) {
            int count = 0;
            while (rows.next()) {
                count++;
            }
            return count;
        }
    }
}
