package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LeaderElection;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.MultiLockHandle;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Processes that die or are stopped while they hold other primitives than the plain lock. */
public abstract class FamilyCrashContract {

    private static final Duration SESSION = Duration.ofSeconds(4);
    private static final Duration PLENTY = Duration.ofSeconds(60);

    private LockClient client;

    /** Called by the store's own test. */
    protected FamilyCrashContract() {}

    /**
     * The URI of the store, for this process and for others.
     *
     * @return a URI of a {@link io.wellkeeper.spi.StoreProvider}
     */
    protected abstract String uri();

    @BeforeEach
    void connect() {
        client = LockClient.connect(
                uri(),
                ClientOptions.builder().sessionTimeout(Duration.ofSeconds(10)).build());
    }

    @AfterEach
    void close() {
        client.close();
    }

    private JavaProcess puppet(String name, String part, String says) {
        JavaProcess puppet = JavaProcess.of(FamilyPuppet.class.getName())
                .arguments(uri(), name, SESSION.toString(), part)
                .start();
        puppet.awaitLine(says::equals, PLENTY);
        return puppet;
    }

    @Test
    void kill_reader_writerGetsIn() throws Exception {
        try (JavaProcess reader = puppet("family/reader", "read", "in")) {
            DistributedLock write = client.readWriteLock("family/reader").writeLock();
            assertThat(write.tryLock()).isFalse();
            reader.kill();

            write.tryAcquire(PLENTY).orElseThrow().close();
        }
    }

    @Test
    void kill_writer_readersGetIn() throws Exception {
        try (JavaProcess writer = puppet("family/writer", "write", "in")) {
            DistributedLock read = client.readWriteLock("family/writer").readLock();
            assertThat(read.tryLock()).isFalse();
            writer.kill();

            read.tryAcquire(PLENTY).orElseThrow().close();
        }
    }

    @Test
    void pause_readerBeyondItsSession_writerGetsInAndTheReaderKnows() throws Exception {
        try (JavaProcess reader = puppet("family/paused", "read", "in")) {
            reader.pause();
            try (LockHandle writing = client.readWriteLock("family/paused")
                    .writeLock()
                    .tryAcquire(PLENTY)
                    .orElseThrow()) {
                reader.resume();
                reader.awaitLine("lost"::equals, PLENTY);
                writing.checkHeld();
            }
        }
    }

    @Test
    void kill_holderOfPermits_permitsComeBack() throws Exception {
        try (JavaProcess holder = puppet("family/permits", "permits", "in")) {
            assertThat(client.semaphore("family/permits", 2).tryAcquire()).isEmpty();
            holder.kill();

            client.semaphore("family/permits", 2)
                    .tryAcquire(2, PLENTY)
                    .orElseThrow()
                    .close();
        }
    }

    @Test
    void kill_holderOfSeveralLocks_allComeFree() throws Exception {
        try (JavaProcess holder = puppet("family/all", "all", "in")) {
            assertThat(client.lock("family/all/b").tryLock()).isFalse();
            holder.kill();

            try (MultiLockHandle all = client.all("family/all/b", "family/all/a")
                    .tryAcquire(PLENTY)
                    .orElseThrow()) {
                assertThat(all.fencingTokens()).hasSize(2);
            }
        }
    }

    @Test
    void kill_leader_theNextOneLeads() throws Exception {
        try (JavaProcess leader = puppet("family/leader", "lead", "in")) {
            CompletableFuture<Long> elected = new CompletableFuture<>();
            try (LeaderElection election = client.election("family/leader", new LeaderElection.Listener() {
                @Override
                public void elected(long fencingToken) {
                    elected.complete(fencingToken);
                }

                @Override
                public void deposed(String reason) {}
            })) {
                election.campaign();
                Await.until(
                        "one that waits to lead",
                        () -> client.admin().inspect("family/leader").waiters().size() == 1);
                leader.kill();

                assertThat(elected.get(PLENTY.toSeconds(), TimeUnit.SECONDS)).isPositive();
            }
        }
    }

    @Test
    void kill_waiterThatHasJustBeenSignalled_signalGoesToTheNext() throws Exception {
        String name = "family/condition";
        DistributedLock lock = client.lock(name);
        Condition signalled = lock.newCondition("signalled");
        CompletableFuture<Void> awake = new CompletableFuture<>();
        try (JavaProcess first = puppet(name, "await", "waiting")) {
            lock.lock(); // the lock is free only when the first process waits
            lock.unlock();
            Thread second = new Thread(() -> {
                lock.lock();
                try {
                    signalled.awaitUninterruptibly();
                    awake.complete(null);
                } finally {
                    lock.unlock();
                }
            });
            second.start();
            Await.until(
                    "a second that waits",
                    () -> second.getState() == Thread.State.WAITING
                            && client.admin().inspect(name).holders().isEmpty());
            first.pause(); // so that it does not react to the signal
            lock.lock();
            signalled.signal();
            lock.unlock();
            first.kill();

            awake.get(PLENTY.toSeconds(), TimeUnit.SECONDS);
            second.join();
        }
    }
}
