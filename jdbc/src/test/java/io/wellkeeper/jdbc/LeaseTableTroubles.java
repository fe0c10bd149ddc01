package io.wellkeeper.jdbc;

import static io.wellkeeper.jdbc.Await.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.LeaseStore;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.testservers.TcpProxy;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What may happen to a table of leases, on a real server. */
@ExtendWith(SharedServers.class)
abstract class LeaseTableTroubles {

    private static final Duration TTL = Duration.ofSeconds(60);
    private static final Duration SHORT = Duration.ofSeconds(5);
    private static final int BUSY = 24;
    private static final int BUSY_OF_OURS = 8;
    private static final int CROWD = 2_000;
    private static final long LONG_NANOS = Duration.ofSeconds(1).toNanos(); // for a release to wait for its row
    private static final int STORES = 8;
    private static final int THREADS = 16;
    private static final int ATTEMPTS = 200;
    private static final int KILLS = 10;
    private static final int SECONDS = 120;

    private final Servers server;
    private final List<LeaseStore> stores = new ArrayList<>();
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    private final String name = "trouble-" + UUID.randomUUID();

    LeaseTableTroubles(Servers server) {
        this.server = server;
    }

    @AfterEach
    void close() {
        threads.shutdownNow();
        stores.forEach(LeaseStore::close);
    }

    private LeaseStore store() {
        return store(server.port());
    }

    private LeaseStore store(int port) {
        return store(server.uri(port));
    }

    /** At the URI of a database. */
    LeaseStore store(String uri) {
        LeaseStore store = LeaseTableStore.of(StoreUri.parse(uri.replaceFirst("jdbc:", "jdbc-simple:")));
        stores.add(store);
        return store;
    }

    LeaseRequest request(String lock) {
        return new LeaseRequest(lock, UUID.randomUUID().toString(), TTL, "");
    }

    private <T> List<T> together(Callable<T> task) throws Exception {
        List<Future<T>> all = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            all.add(threads.submit(task));
        }
        List<T> results = new ArrayList<>();
        for (Future<T> one : all) {
            results.add(one.get(SECONDS, TimeUnit.SECONDS));
        }
        return results;
    }

    @Test
    void tryAcquire_manyWithoutPause_oneAtATimeAndNoErrors() throws Exception {
        for (int i = 0; i < STORES; i++) {
            store();
        }
        AtomicInteger next = new AtomicInteger();
        AtomicInteger inside = new AtomicInteger();
        AtomicLong last = new AtomicLong();

        List<Integer> won = together(() -> {
            LeaseStore own = stores.get(next.getAndIncrement() % STORES);
            int count = 0;
            for (int i = 0; i < ATTEMPTS; i++) {
                Optional<Lease> lease = get(own.tryAcquire(request(name)));
                if (lease.isPresent()) {
                    assertThat(inside.incrementAndGet()).isEqualTo(1);
                    long token = lease.get().token().orElseThrow();
                    assertThat(last.getAndSet(token)).isLessThan(token);
                    inside.decrementAndGet();
                    assertThat(get(own.release(lease.get()))).isTrue();
                    count++;
                }
            }
            return count;
        });

        assertThat(won.stream().mapToInt(Integer::intValue).sum()).isPositive();
    }

    @Test
    void tryAcquire_newNamesByManyAtOnce_oneEachAndNoErrors() throws Exception {
        for (int i = 0; i < STORES; i++) {
            store();
        }
        AtomicInteger next = new AtomicInteger();

        List<Integer> won = together(() -> {
            LeaseStore own = stores.get(next.getAndIncrement() % STORES);
            int count = 0;
            for (int i = 0; i < ATTEMPTS; i++) {
                count += get(own.tryAcquire(request(name + i))).isPresent() ? 1 : 0;
            }
            return count;
        });

        assertThat(won.stream().mapToInt(Integer::intValue).sum()).isEqualTo(ATTEMPTS);
    }

    @Test
    void lock_whileConnectionsAreKilled_everyoneGetsInAlone() throws Exception {
        AtomicInteger inside = new AtomicInteger();
        AtomicLong last = new AtomicLong();
        AtomicInteger done = new AtomicInteger();
        try (LeaseClient one = LeaseClient.over(store());
                LeaseClient other = LeaseClient.over(store())) {
            Future<?> killer = threads.submit(() -> {
                for (int i = 1; i <= KILLS; i++) {
                    while (done.get() < i * (THREADS - 1)) {
                        Thread.onSpinWait();
                    }
                    server.killConnections();
                }
                return "killed";
            });
            AtomicInteger next = new AtomicInteger();
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < THREADS - 1; i++) {
                DistributedLock lock = (next.getAndIncrement() % 2 == 0 ? one : other).lock(name);
                all.add(threads.submit(() -> {
                    for (int round = 0; round < 2 * KILLS; round++) {
                        try (LockHandle handle = lock.acquire()) {
                            assertThat(inside.incrementAndGet()).isEqualTo(1);
                            assertThat(last.getAndSet(handle.fencingToken())).isLessThan(handle.fencingToken());
                            inside.decrementAndGet();
                            done.incrementAndGet();
                        }
                    }
                    return "done";
                }));
            }
            for (Future<?> each : all) {
                each.get(SECONDS, TimeUnit.SECONDS);
            }
            killer.get(SECONDS, TimeUnit.SECONDS);
        }
    }

    @Test
    void tryAcquire_connectionsWereKilledWhileIdle_succeedsAllTheSame() throws Exception {
        LeaseStore store = store();
        LeaseRequest request = request(name);
        List<CompletionStage<Optional<Lease>>> both = List.of(store.tryAcquire(request), store.tryAcquire(request));
        both.forEach(Await::get);
        server.killConnections();

        assertThat(get(store.release(get(store.tryAcquire(request)).orElseThrow())))
                .isTrue();
    }

    @Test
    void tryAcquire_rowIsLockedByAStranger_failsInTimeAndIsNotCarriedOutLater() throws Exception {
        LeaseStore store = store();
        get(store.release(get(store.tryAcquire(request(name))).orElseThrow()));
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("SELECT * FROM wellkeeper_lease WHERE name = '" + name + "' FOR UPDATE");

            assertThat(Await.failure(store.tryAcquire(request(name))))
                    .message()
                    .containsIgnoringCase("lock")
                    .containsIgnoringCase("timeout");

            connection.rollback();
        }
        assertThat(get(store.tryAcquire(request(name)))).isPresent();
    }

    /** A connection is silent, and is given up; a proxy that is only slow passes on all the same what it was given. */
    @Test
    void renew_anEarlierOneIsCarriedOutLater_endIsAsItWasAnswered() throws Exception {
        CompletableFuture<Void> late = new CompletableFuture<>();
        AtomicBoolean first = new AtomicBoolean(true);
        try (TcpProxy proxy = TcpProxy.of(server.port())) {
            LeaseStore store = store(proxy.port());
            Lease lease = get(store.tryAcquire(request(name))).orElseThrow();
            proxy.rule(request -> {
                if (StandardCharsets.ISO_8859_1.decode(request).toString().contains("SET expires")
                        && first.getAndSet(false)) {
                    get(late);
                }
                return TcpProxy.Fate.FORWARD;
            });
            assertThat(Await.failure(store.renew(lease, SHORT))).hasMessageContaining("answers");
            assertThat(get(store.renew(lease, TTL))).isTrue();
            String end = end();

            late.complete(null);

            await().until(() -> proxy.connections() == 1);
            assertThat(end()).isGreaterThanOrEqualTo(end);
        }
    }

    /** As above; meanwhile the owner has asked once more, and given back what it got. */
    @Test
    void tryAcquire_anEarlierOneIsCarriedOutBehindTheRelease_lockStaysFree() throws Exception {
        CompletableFuture<Void> late = new CompletableFuture<>();
        AtomicBoolean first = new AtomicBoolean(true);
        try (TcpProxy proxy = TcpProxy.of(server.port())) {
            LeaseStore store = store(proxy.port());
            get(store.release(get(store.tryAcquire(request(name))).orElseThrow()));
            proxy.rule(request -> {
                if (StandardCharsets.ISO_8859_1.decode(request).toString().contains("INSERT INTO")
                        && first.getAndSet(false)) {
                    get(late);
                }
                return TcpProxy.Fate.FORWARD;
            });
            LeaseRequest request = request(name);
            assertThat(Await.failure(store.tryAcquire(request))).hasMessageContaining("answers");
            assertThat(get(store.release(get(store.tryAcquire(request)).orElseThrow())))
                    .isTrue();

            late.complete(null);

            await().until(() -> proxy.connections() == 1);
            assertThat(get(store.tryAcquire(request(name)))).isPresent();
        }
    }

    @Test
    void tryAcquire_byTheOwnerThatGaveTheLockBackLast_isRefused() {
        LeaseStore store = store();
        LeaseRequest request = request(name);
        get(store.release(get(store.tryAcquire(request)).orElseThrow()));

        assertThat(get(store.tryAcquire(request))).isEmpty();

        assertThat(get(store.tryAcquire(request(name)))).isPresent();
    }

    private String end() throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery("SELECT expires FROM wellkeeper_lease WHERE name = '" + name + "'")) {
            row.next();
            return row.getString(1);
        }
    }

    /** Two requests at a time are all that a store sends, and each waits for its row for a while. */
    @ParameterizedTest
    @ValueSource(ints = {2, BUSY})
    void lock_rowsOfOthersAreLockedByAStranger_isRenewedAllTheSame(int count) throws Exception {
        List<String> busy =
                IntStream.range(0, count).mapToObj(i -> name + "-" + i).toList();
        LeaseStore store = store();
        for (String each : busy) {
            get(store.release(get(store.tryAcquire(request(each))).orElseThrow()));
        }
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement();
                LeaseClient client = LeaseClient.over(
                        store, ClientOptions.builder().sessionTimeout(SHORT).build())) {
            LockHandle held = client.lock(name).acquire();
            connection.setAutoCommit(false);
            statement.execute("SELECT * FROM wellkeeper_lease WHERE name LIKE '" + name + "-%' FOR UPDATE");
            long start = System.nanoTime();
            busy.forEach(each -> client.acquireLeaseAsync(each, TTL));

            await().atMost(Duration.ofMinutes(1))
                    .until(() -> !held.isHeld()
                            || System.nanoTime() - start > SHORT.multipliedBy(2).toNanos());

            assertThat(held.isHeld()).isTrue();
            connection.rollback();
            held.close();
        }
    }

    /** What has found its row busy lets the others go first. */
    @Test
    void renew_manyOthersOfOursAreLockedByAStranger_isAnsweredInTime() throws Exception {
        LeaseStore store = store();
        Lease free = get(store.tryAcquire(request(name))).orElseThrow();
        List<Lease> busy = new ArrayList<>();
        for (int i = 0; i < BUSY_OF_OURS; i++) {
            busy.add(get(store.tryAcquire(request(name + "-" + i))).orElseThrow());
        }
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("SELECT * FROM wellkeeper_lease WHERE name LIKE '" + name + "-%' FOR UPDATE");
            List<CompletionStage<Boolean>> inVain =
                    busy.stream().map(each -> store.renew(each, TTL)).toList();
            inVain.forEach(Await::failure);

            busy.forEach(each -> store.renew(each, TTL));
            assertThat(get(store.renew(free, SHORT.multipliedBy(2)))).isTrue();

            connection.rollback();
        }
    }

    /** What has been given back is so for good: that is tried again for as long as it takes, by as many threads as there are. */
    @ParameterizedTest
    @ValueSource(ints = {2, BUSY_OF_OURS})
    void tryAcquire_whatIsGivenBackIsLockedByAStranger_isAnsweredMeanwhile(int count) throws Exception {
        LeaseStore store = store();
        get(store.release(get(store.tryAcquire(request(name))).orElseThrow())); // so that its row is there
        List<Lease> busy = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            busy.add(get(store.tryAcquire(request(name + "-" + i))).orElseThrow());
        }
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            assumeTrue(count == 2 || Vendor.of(connection) != Vendor.MYSQL, "it waits for a row for a second at least");
            connection.setAutoCommit(false);
            statement.execute("SELECT * FROM wellkeeper_lease WHERE name LIKE '" + name + "-%' FOR UPDATE");
            List<CompletableFuture<Boolean>> givenBack =
                    busy.stream().map(lease -> releaseInTheEnd(store, lease)).toList();

            for (int again = 0; again < 3; again++) { // each behind all that has been tried in vain by then
                get(store.release(get(store.tryAcquire(request(name))).orElseThrow()));
            }
            assertThat(givenBack).noneMatch(CompletableFuture::isDone);

            connection.rollback();
            assertThat(givenBack).allSatisfy(each -> assertThat(get(each)).isTrue());
        }
    }

    /** Again and again, until it is answered, or the store was closed. */
    private static CompletableFuture<Boolean> releaseInTheEnd(LeaseStore store, Lease lease) {
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        store.release(lease).whenComplete((released, failure) -> {
            if (failure == null) {
                done.complete(released);
            } else if (failure.getMessage().contains("closed")) {
                done.completeExceptionally(failure);
            } else {
                releaseInTheEnd(store, lease).thenAccept(done::complete);
            }
        });
        return done;
    }

    /** As all of them are renewed for the first time after the stranger has come, nobody knows yet which are in the way. */
    @Test
    void renew_behindManyOthersOfOursThatAreLockedByAStranger_isAnsweredInTime() throws Exception {
        LeaseStore store = store();
        List<Lease> busy = new ArrayList<>();
        Lease free = get(store.tryAcquire(request(name))).orElseThrow();
        for (int i = 0; i < BUSY; i++) {
            busy.add(get(store.tryAcquire(request(name + "-" + i))).orElseThrow());
        }
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            assumeTrue(Vendor.of(connection) != Vendor.MYSQL, "it waits for a row for a second at least");
            connection.setAutoCommit(false);
            statement.execute("SELECT * FROM wellkeeper_lease WHERE name LIKE '" + name + "-%' FOR UPDATE");

            busy.forEach(each -> store.renew(each, TTL));
            assertThat(get(store.renew(free, TTL))).isTrue();

            connection.rollback();
        }
    }

    /** Each that wants a lease of its own asks the database, and asks again; who has the lock must not wait for all of them. */
    @Test
    void renewAndRelease_manyOfOursAskForTheSameLock_areCarriedOutBeforeThem() {
        LeaseStore store = store();
        Lease lease = get(store.tryAcquire(request(name))).orElseThrow();
        AtomicInteger refused = new AtomicInteger();
        for (int i = 0; i < CROWD; i++) {
            store.tryAcquire(request(name)).whenComplete((none, failure) -> refused.incrementAndGet());
        }

        CompletionStage<Boolean> renewed = store.renew(lease, TTL);
        CompletionStage<Integer> refusedBefore = renewed.thenApply(done -> refused.get());
        assertThat(get(renewed)).isTrue();
        assertThat(get(refusedBefore)).isLessThan(CROWD);
        CompletionStage<Boolean> released = store.release(lease);
        refusedBefore = released.thenApply(done -> refused.get());
        assertThat(get(released)).isTrue();
        assertThat(get(refusedBefore)).isLessThan(CROWD);
    }

    /** A stranger keeps the row for a moment; what is asked for others meanwhile would else all go before the next attempt. */
    @Test
    void release_rowIsLockedByAStrangerForAWhile_isCarriedOutBeforeManyThatAskForOthers() throws Exception {
        LeaseStore store = store();
        Lease lease = get(store.tryAcquire(request(name))).orElseThrow();
        AtomicInteger answered = new AtomicInteger();
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("SELECT * FROM wellkeeper_lease WHERE name = '" + name + "' FOR UPDATE");
            for (int i = 0; i < CROWD; i++) {
                store.tryAcquire(request(name + "-" + i)).whenComplete((got, failure) -> answered.incrementAndGet());
            }
            CompletionStage<Integer> answeredBefore = store.release(lease).thenApply(done -> answered.get());
            long start = System.nanoTime();
            await().until(() -> answered.get() > CROWD / 2 || System.nanoTime() - start > LONG_NANOS);
            connection.rollback();

            assertThat(get(answeredBefore)).isLessThan(CROWD);
        }
    }

    @Test
    void close_serverIsSilent_returnsAtOnceAndRefusesWhatIsOpen() {
        LeaseStore store = store();
        Lease lease = get(store.tryAcquire(request(name))).orElseThrow();
        server.pause();
        try {
            CompletionStage<Boolean> open = store.release(lease);
            long start = System.nanoTime();
            store.close();
            assertThat(System.nanoTime() - start)
                    .isLessThan(Duration.ofSeconds(5).toNanos());
            assertThat(Await.failure(open)).hasMessageContaining("closed");
        } finally {
            server.resume();
        }
    }
}
