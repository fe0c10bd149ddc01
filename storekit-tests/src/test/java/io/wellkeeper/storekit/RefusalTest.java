package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedCondition;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.storekit.Troubles.Kind;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import io.wellkeeper.testkit.SimulatedTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What becomes of calls when a store of tickets refuses, or has trouble that passes. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RefusalTest {

    private static final String NAME = "refused";

    private final Troubles troubles = new Troubles();
    private final InMemoryServer server = new InMemoryServer();
    private final InMemoryTicketStore connection = new InMemoryTicketStore(server);

    @AfterEach
    void close() {
        server.close();
    }

    private LockClient client(ClientOptions options) {
        return LockClient.over(troubles.over(connection), options);
    }

    private LockClient client() {
        return client(troubles.options().build());
    }

    @ParameterizedTest
    @EnumSource(names = "PASSING", mode = EnumSource.Mode.EXCLUDE)
    void connect_storeRefuses_failsAtOnce(Kind kind) {
        troubles.opening(kind);

        AcquiringForms.isRefused("connect", () -> client().close(), server.address());
    }

    @Test
    void connect_troubleLastsForAllItsTime_saysSo() {
        troubles.opening(Kind.PASSING);

        AcquiringForms.isRefused(
                "connect",
                () -> client(troubles.options()
                                .storeTimeout(Duration.ofMillis(300))
                                .build())
                        .close(),
                server.address());
    }

    @ParameterizedTest
    @EnumSource(names = "PASSING", mode = EnumSource.Mode.EXCLUDE)
    void acquire_storeGivesNoTicket_failsAtOnceInEveryForm(Kind kind) {
        try (LockClient client = client()) {
            troubles.taking(kind);

            AcquiringForms.areRefused(client.lock(NAME), server.address());
            AcquiringForms.areRefused(client.readWriteLock(NAME + 2).readLock(), server.address());
            AcquiringForms.areRefused(client.readWriteLock(NAME + 2).writeLock(), server.address());
            AcquiringForms.isRefused("semaphore", client.semaphore(NAME + 3, 2)::acquire, server.address());
            AcquiringForms.isRefused("all", () -> client.all(NAME, NAME + 4).lock(), server.address());
            AcquiringForms.isRefused(
                    "all timed", () -> client.all(NAME, NAME + 4).tryLock(60, TimeUnit.SECONDS), server.address());
        }
    }

    @ParameterizedTest
    @EnumSource(names = "PASSING", mode = EnumSource.Mode.EXCLUDE)
    void acquire_storeGivesNoOtherSession_failsAtOnceInEveryForm(Kind kind) throws Exception {
        try (LockClient client = client()) {
            troubles.opening(kind);
            connection.expireSessions();

            AcquiringForms.areRefused(client.lock(NAME), server.address());
            AcquiringForms.isRefused("semaphore", client.semaphore(NAME + 3, 2)::acquire, server.address());
            AcquiringForms.isRefused("all", () -> client.all(NAME, NAME + 4).lock(), server.address());
            AcquiringForms.isRefused("inspect", () -> client.admin().inspect(NAME), server.address());
            AcquiringForms.isRefused("names", () -> client.admin().names(""), server.address());
            AcquiringForms.isRefused("latch", client.latch(NAME)::await, server.address());
            AcquiringForms.isRefused("barrier", client.barrier(NAME, 2)::await, server.address());
        }
    }

    @Test
    void acquire_storeGivesNoOtherSession_endsTheWaitsAndWhatWasHeldIsLost() throws Exception {
        try (LockClient holding = LockClient.over(new InMemoryTicketStore(server));
                LockClient client = client()) {
            LockHandle others = holding.lock(NAME).acquire();
            LockHandle held = client.lock(NAME + 2).acquire();
            CompletableFuture<LockHandle> waiting = client.lock(NAME).acquireAsync();
            CompletableFuture<Void> latched = latched(client);
            Await.until(
                    "it waits", () -> holding.admin().inspect(NAME).waiters().size() == 1);

            troubles.opening(Kind.REFUSAL);
            connection.expireSessions();

            AcquiringForms.isRefused("waiting", waiting::join, server.address());
            Await.result(Await.loss(held));
            assertThat(latched).failsWithin(Await.patience());
            others.close();
        }
    }

    private static CompletableFuture<Void> latched(LockClient client) {
        client.latch(NAME).trySetCount(1);
        return client.latch(NAME).awaitAsync();
    }

    @ParameterizedTest
    @EnumSource(names = "PASSING", mode = EnumSource.Mode.EXCLUDE)
    void acquire_storeShowsTheQueueNoMore_endsTheWait(Kind kind) throws Exception {
        SimulatedTime time = new SimulatedTime();
        try (LockClient holding = LockClient.over(new InMemoryTicketStore(server));
                LockClient client = client(troubles.options().time(time).build())) {
            LockHandle others = holding.lock(NAME).acquire();
            CompletableFuture<LockHandle> waiting = client.lock(NAME).acquireAsync();
            Await.until(
                    "it waits", () -> holding.admin().inspect(NAME).waiters().size() == 1);

            troubles.reading(kind);
            time.advance(Duration.ofMinutes(1));

            AcquiringForms.isRefused("waiting", waiting::join, server.address());
            Await.until(
                    "it waits no more",
                    () -> holding.admin().inspect(NAME).waiters().isEmpty());
            others.close();
        }
    }

    @Test
    void await_storeGivesNoTicketToWaitWith_failsAndKeepsTheLock() {
        try (LockClient client = client()) {
            DistributedLock lock = client.lock(NAME);
            DistributedCondition condition = lock.newCondition();
            lock.lock();
            troubles.taking(Kind.REFUSAL);

            AcquiringForms.isRefused("await", condition::await, server.address());
            assertThat(lock.isHeldByCurrentThread()).isTrue();
            lock.unlock();
        }
    }

    @Test
    void tryLock_troubleLastsForAllItsTime_saysSo() {
        try (LockClient client =
                client(troubles.options().storeTimeout(Duration.ofMillis(300)).build())) {
            troubles.opening(Kind.PASSING);
            connection.expireSessions();
            DistributedLock lock = client.lock(NAME);

            AcquiringForms.isRefused("tryLock", lock::tryLock, server.address());
            AcquiringForms.isRefused("tryLock timed", () -> lock.tryLock(200, TimeUnit.MILLISECONDS), server.address());
        }
    }

    @ParameterizedTest
    @EnumSource
    void unlock_storeDoesNotRemoveTheTicket_isToldAndRemovedLater(Kind kind) throws Exception {
        try (LockClient client = client()) {
            LockHandle held = client.lock(NAME).acquire();
            troubles.removing(kind);

            held.close();

            awaitWarning();
            assertThat(server.queueLength(NAME)).isOne();
            troubles.removing(null);
            Await.until("it is removed", () -> server.queueLength(NAME) == 0);
        }
    }

    @Test
    void acquire_storeDoesNotShowTheQueueForAWhile_isToldAndLetInLater() throws Exception {
        try (LockClient holding = LockClient.over(new InMemoryTicketStore(server));
                LockClient client = client()) {
            LockHandle others = holding.readWriteLock(NAME).writeLock().acquire();
            CompletableFuture<LockHandle> waiting =
                    client.readWriteLock(NAME).writeLock().acquireAsync();
            Await.until("it waits", () -> server.queueLength(NAME) == 2);

            troubles.reading(Kind.PASSING);
            others.close();

            awaitWarning();
            assertThat(waiting).isNotDone();
            troubles.reading(null);
            Await.get(waiting).close();
        }
    }

    private void awaitWarning() {
        Await.until("a warning", () -> troubles.warnings().stream().anyMatch(told -> told.contains(Troubles.WORDS)));
    }

    @Test
    void tryAcquire_storeDoesNotTellHowManyPermitsThereAre_saysSo() {
        try (LockClient client =
                client(troubles.options().storeTimeout(Duration.ofMillis(300)).build())) {
            troubles.readingNotices(Kind.PASSING);

            AcquiringForms.isRefused("tryAcquire", client.semaphore(NAME, 5)::tryAcquire, server.address());
        }
    }
}
