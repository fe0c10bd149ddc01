package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockSource;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.LeaseStore;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.spi.TicketQueue;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import org.sqlite.JDBC;

class SqliteStoreTest {

    private static final int CLIENTS = 8;

    @TempDir
    private Path folder;

    private String uri() {
        return "jdbc:sqlite:" + folder.resolve("new.db");
    }

    @Test
    void connect_manyAtOnceToANewFile_allLockInTurn() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
        try {
            List<Future<Long>> tokens = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                tokens.add(threads.submit(() -> {
                    try (LockClient client = LockClient.connect(uri());
                            LockHandle handle = client.lock("name").acquire()) {
                        return handle.fencingToken();
                    }
                }));
            }

            List<Long> all = new ArrayList<>();
            for (Future<Long> token : tokens) {
                all.add(token.get(60, TimeUnit.SECONDS));
            }
            assertThat(all).doesNotHaveDuplicates();
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void lock_somebodyWritesForLong_waitsForIt() throws Exception {
        ExecutorService threads = Executors.newSingleThreadExecutor();
        try (LockClient client = LockClient.connect(uri())) {
            client.lock("first").acquire().close();
            try (Connection writing = DriverManager.getConnection(uri());
                    Statement statement = writing.createStatement()) {
                statement.execute("BEGIN IMMEDIATE");

                assertThat(client.lock("name").tryAcquire(Duration.ofMillis(700)))
                        .isEmpty();
                Future<Long> waiting = threads.submit(() -> {
                    try (LockHandle handle = client.lock("name").acquire()) {
                        return handle.fencingToken();
                    }
                });
                statement.execute("ROLLBACK");

                assertThat(waiting.get(60, TimeUnit.SECONDS)).isPositive();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void take_somebodyWritesForTooLong_failsInTheWordsOfTheDriverAndWorksAfterwards() throws Exception {
        SqlTicketStore store = SqlTicketStore.of(StoreUri.parse(uri()));
        try {
            TicketQueue queue = Sessions.open(store, Duration.ofMinutes(2)).queue("busy");
            try (Connection writing = DriverManager.getConnection(uri());
                    Statement statement = writing.createStatement()) {
                statement.execute("BEGIN IMMEDIATE");

                assertThat(Await.failure(queue.take(Sessions.request("in vain"))))
                        .isExactlyInstanceOf(LockStoreException.class)
                        .hasMessageContaining("SQLITE_BUSY");

                statement.execute("ROLLBACK");
            }
            assertThat(Await.get(queue.take(Sessions.request("afterwards"))).ahead())
                    .isEmpty();
        } finally {
            store.close();
        }
    }

    /** The driver takes its answer before SQLite commits, and is not told by the end of the statement that it could not. */
    @Test
    void tryAcquire_somebodyReadsAndThereIsNoWriteAheadLog_neverSaysThatItGotWhatWasNotCommitted() throws Exception {
        String uri = uri() + "?journal_mode=DELETE";
        LeaseStore store = LeaseTableStore.of(StoreUri.parse(uri.replaceFirst("jdbc:", "jdbc-simple:")));
        Duration ttl = Duration.ofSeconds(2);
        try (Connection reading = DriverManager.getConnection(uri);
                Statement statement = reading.createStatement()) {
            Lease first = Await.get(store.tryAcquire(new LeaseRequest("name", "first", ttl, "")))
                    .orElseThrow();
            Await.get(store.release(first));
            statement.execute("BEGIN");
            statement.executeQuery("SELECT * FROM wellkeeper_lease").close();

            assertThat(Await.failure(store.tryAcquire(new LeaseRequest("name", "in vain", ttl, ""))))
                    .hasMessageContaining("SQLITE_BUSY");

            statement.execute("ROLLBACK");
            assertThat(Await.get(store.tryAcquire(new LeaseRequest("name", "afterwards", ttl, ""))))
                    .isPresent();
        } finally {
            store.close();
        }
    }

    /** As two web applications in one server: within one process the one's SQLite does not see the locks of the other's. */
    @ParameterizedTest
    @ValueSource(strings = {"jdbc:", "jdbc-simple:"})
    void lock_anotherClassLoaderHasADriverOfItsOwn_isRefusedUntilThatHasLeft(String scheme) throws Exception {
        List<URL> classes = new ArrayList<>();
        for (Class<?> each :
                List.of(LockClient.class, SqlTicketStore.class, JDBC.class, Logger.class, Nullable.class)) {
            classes.add(each.getProtectionDomain().getCodeSource().getLocation());
        }
        Thread thread = Thread.currentThread();
        ClassLoader usual = thread.getContextClassLoader();
        try (URLClassLoader another =
                new URLClassLoader(classes.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            AutoCloseable theirs;
            try {
                thread.setContextClassLoader(another);
                Class<?> type = another.loadClass(
                        scheme.equals("jdbc:") ? LockClient.class.getName() : LeaseClient.class.getName());
                theirs = (AutoCloseable) type.getMethod("connect", String.class)
                        .invoke(null, uri().replaceFirst("jdbc:", scheme) + "?storeTimeout=120s");
                Object lock = type.getMethod("lock", String.class).invoke(theirs, "name");
                ((Lock) lock).lock();
            } finally {
                thread.setContextClassLoader(usual);
            }

            assertThatThrownBy(() -> isFree(scheme)).hasMessageContaining("another application in this process");

            theirs.close();
            await().ignoreExceptions().until(() -> isFree(scheme));
        }
    }

    private boolean isFree(String scheme) {
        try (LockSource client = connect(scheme)) {
            Optional<LockHandle> handle = client.lock("name").tryAcquire();
            handle.ifPresent(LockHandle::close);
            return handle.isPresent();
        }
    }

    private LockSource connect(String scheme) {
        String uri = uri().replaceFirst("jdbc:", scheme);
        ClientOptions options =
                ClientOptions.builder().sessionTimeout(Duration.ofSeconds(8)).build();
        return scheme.equals("jdbc:") ? LockClient.connect(uri, options) : LeaseClient.connect(uri, options);
    }

    /** By hand, or by whatever clears a folder: who has the old file open could go on with it for ever. */
    @ParameterizedTest
    @ValueSource(strings = {"jdbc:", "jdbc-simple:"})
    void lock_fileIsReplaced_whoHeldItByTheOldOneKnowsAndGoesOnWithTheNewOne(String scheme) throws Exception {
        try (LockSource client = connect(scheme)) {
            LockHandle old = client.lock("name").acquire();
            for (String end : List.of("", "-wal", "-shm")) {
                Files.delete(folder.resolve("new.db" + end));
            }
            try (LockSource other = connect(scheme)) {
                LockHandle held = other.lock("name").acquire();

                await().atMost(Duration.ofSeconds(30)).until(() -> !old.isHeld());

                assertThat(held.isHeld()).isTrue();
                assertThat(client.lock("name").tryAcquire(Duration.ofMillis(500)))
                        .isEmpty();
                held.close();
                client.lock("name")
                        .tryAcquire(Duration.ofSeconds(30))
                        .orElseThrow()
                        .close();
            }
        }
    }

    /** Whoever has used them has done so in this process, where SQLite would go on with a deleted index as long as any one does. */
    @ParameterizedTest
    @ValueSource(strings = {"-shm", "-wal", "-shm -wal"})
    void lock_filesBesideAreDeleted_allGoOnWithNewOnes(String ends) throws Exception {
        try (Connection connection = DriverManager.getConnection(uri());
                Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA journal_mode = WAL");
        }
        try (LockSource one = connect("jdbc:");
                LockSource other = connect("jdbc:")) {
            one.lock("name").acquire().close();
            other.lock("name").acquire().close();
            for (String end : ends.split(" ")) {
                Files.delete(folder.resolve("new.db" + end));
            }

            await().ignoreExceptions().atMost(Duration.ofSeconds(30)).until(() -> isFree(one) && isFree(other));

            assertThat(folder.resolve("new.db-shm")).exists();
            assertThat(folder.resolve("new.db-wal")).exists();
            LockHandle held = one.lock("name").acquire();
            assertThat(other.lock("name").tryAcquire(Duration.ofMillis(500))).isEmpty();
            held.close();
        }
    }

    private static boolean isFree(LockSource client) throws Exception {
        Optional<LockHandle> handle = client.lock("name").tryAcquire(Duration.ofSeconds(1));
        handle.ifPresent(LockHandle::close);
        return handle.isPresent();
    }

    @Test
    void tryAcquire_indexIsDeletedWhileAnotherStoreHasItOpen_noConnectionIsLeft() throws Exception {
        List<Connection> made = new CopyOnWriteArrayList<>();
        DataSource source = (PlainDataSource) () -> {
            Connection connection = DriverManager.getConnection(uri() + "?journal_mode=WAL");
            made.add(connection);
            return connection;
        };
        LeaseStore one = LeaseTableStore.over(source);
        LeaseStore other = LeaseTableStore.over(source);
        try {
            LeaseRequest request = new LeaseRequest("name", "me", Duration.ofMinutes(1), "");
            Await.get(one.tryAcquire(request));
            Await.get(other.tryAcquire(request));
            Files.delete(folder.resolve("new.db-shm"));

            await().ignoreExceptions().until(() -> Await.get(one.tryAcquire(request)) != null);

            int open = 0;
            for (Connection each : made) {
                open += each.isClosed() ? 0 : 1;
            }
            assertThat(open).isEqualTo(1);
        } finally {
            one.close();
            other.close();
        }
    }

    @Test
    void of_databaseInMemory_isRefused() {
        for (String uri : List.of("jdbc:sqlite::memory:", "jdbc:sqlite:?prefix=a_", "jdbc:sqlite:a.db?mode=ro")) {
            assertThatThrownBy(() -> SqlTicketStore.of(StoreUri.parse(uri)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("file");
        }
    }

    @Test
    void connect_folderIsMissing_failsWithoutTheDriversException() {
        String nowhere = "jdbc:sqlite:" + folder.resolve("missing").resolve("locks.db");

        assertThatThrownBy(() -> LockClient.connect(nowhere)).isInstanceOf(LockStoreException.class);
    }
}
