package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.wellkeeper.Deadlock;
import io.wellkeeper.DistributedCondition;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockLostException;
import io.wellkeeper.LockStatus;
import io.wellkeeper.spi.LockNames;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.SessionListener;
import io.wellkeeper.spi.SessionOptions;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketStore;
import io.wellkeeper.testkit.ForwardingTicketStore;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import io.wellkeeper.testkit.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A store that is made of two parts: the locks and latches whose names begin with "left", and all others. */
class ShardsTest {

    private final InMemoryServer leftServer = new InMemoryServer();
    private final InMemoryServer rightServer = new InMemoryServer();
    private final List<Halves> stores = new ArrayList<>();
    private final List<LockClient> clients = new ArrayList<>();

    private final class Halves implements TicketStore {

        private final Half left = new Half(new InMemoryTicketStore(leftServer));
        private final Half right = new Half(new InMemoryTicketStore(rightServer));

        @Override
        public TicketStore shard(String name) {
            return name.startsWith("left") || name.startsWith("wellkeeper:latch/left") ? left : right;
        }

        @Override
        public CompletionStage<Session> open(SessionOptions options, SessionListener listener) {
            throw new AssertionError("sessions are begun at the parts");
        }

        @Override
        public String address() {
            return "halves";
        }

        @Override
        public void close() {
            left.close();
            right.close();
        }
    }

    private static final class Half extends ForwardingTicketStore {

        private final AtomicInteger opened = new AtomicInteger();
        private final List<String> read = new CopyOnWriteArrayList<>(); // of which queues the notices were asked for
        private volatile CompletableFuture<?> ready = CompletableFuture.completedFuture(true); // to begin sessions

        Half(InMemoryTicketStore store) {
            super(store);
        }

        /** One that knows what locks there are anywhere. */
        @Override
        protected Session session(Session sound) {
            return new ForwardingSession(sound) {
                @Override
                public CompletionStage<List<String>> names(String prefix) {
                    return CompletableFuture.completedFuture(List.of("left", "right"));
                }
            };
        }

        @Override
        public CompletionStage<Session> open(SessionOptions options, SessionListener listener) {
            opened.incrementAndGet();
            return ready.thenCompose(yes -> super.open(options, listener));
        }

        @Override
        protected TicketQueue queue(TicketQueue sound, String name) {
            return new ForwardingQueue(sound) {
                @Override
                public CompletionStage<Notice> notice() {
                    read.add(name);
                    return super.notice();
                }
            };
        }
    }

    private Halves store() {
        Halves store = new Halves();
        stores.add(store);
        return store;
    }

    private LockClient client(Halves store) {
        LockClient client = LockClient.over(store);
        clients.add(client);
        return client;
    }

    @AfterEach
    void nothingIsLeft() {
        clients.forEach(LockClient::close);
        stores.forEach(Halves::close);
        assertThat(leftServer.leftovers()).isEmpty();
        assertThat(rightServer.leftovers()).isEmpty();
        leftServer.close();
        rightServer.close();
    }

    @Test
    void lock_inAPart_beginsASessionThereOnce() {
        Halves store = store();
        LockClient client = client(store);
        assertThat(store.left.opened).hasValue(0);

        for (int i = 0; i < 3; i++) {
            DistributedLock lock = client.lock("left/" + i);
            lock.lock();
            lock.unlock();
        }

        assertThat(store.left.opened).hasValue(1);
        assertThat(store.right.opened).hasValue(1);
    }

    @Test
    void session_beginsInAPart_whoWaitedForItIsServedBeforeWhoAskedLater() throws Exception {
        Halves store = store();
        LockClient client = client(store);
        CompletableFuture<Boolean> ready = new CompletableFuture<>();
        store.left.ready = ready;
        CompletableFuture<Void> waiting = client.latch("left/waiting").awaitAsync();
        FutureTask<Long> asking =
                new FutureTask<>(() -> client.latch("left/asking").getCount());
        Thread asker = new Thread(asking);
        asker.start();
        Await.until("the question waits", () -> asker.getState() == Thread.State.WAITING);

        ready.complete(true);

        assertThat(asking.get()).isZero();
        Await.get(waiting);
        assertThat(store.left.read).containsExactly("wellkeeper:latch/left/waiting", "wellkeeper:latch/left/asking");
    }

    @Test
    void session_endsInOnePart_locksOfTheOtherAreKept() {
        Halves store = store();
        LockClient client = client(store);
        DistributedLock left = client.lock("left");
        DistributedLock right = client.lock("right");
        left.lock();
        right.lock();
        CountDownLatch lost = new CountDownLatch(1);
        left.onLost(lost::countDown);

        store.left.store().expireSessions();

        Await.until("the loss", () -> lost.getCount() == 0);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(left::unlock);
        assertThat(right.isHeldByCurrentThread()).isTrue();
        right.checkHeld();
        right.unlock();
        left.lock();
        left.unlock();
    }

    @Test
    void inspect_partNotUsedSoFar_answers() {
        DistributedLock lock = client(store()).lock("left");
        lock.lock();

        LockStatus seen = client(store()).admin().inspect("left");

        assertThat(seen.holders()).hasSize(1);
        lock.unlock();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 400, LockNames.MAX_BYTES})
    void await_lockOfAnyLength_oneSessionHasLockAndCondition(int length) {
        String name = "left".concat("x".repeat(LockNames.MAX_BYTES)).substring(0, Math.max("left".length(), length));
        LockClient waiting = client(store());
        LockClient signalling = client(store());
        try (Actor actor = new Actor()) {
            DistributedCondition waitedFor = waiting.lock(name).newCondition("ready");
            Future<?> wait = actor.begin(() -> {
                waiting.lock(name).lock();
                waitedFor.await();
                waiting.lock(name).unlock();
            });
            Await.until("the wait", () -> leftServer.requests(Request.TAKE) + rightServer.requests(Request.TAKE) == 2);
            signalling.lock(name).lock();
            signalling.lock(name).newCondition("ready").signal();
            signalling.lock(name).unlock();
            Await.result(wait);
        }

        assertThat(List.of(leftServer.requests(Request.TAKE), rightServer.requests(Request.TAKE)))
                .contains(0);
    }

    @Test
    void deadlocks_acrossParts_areFound() {
        LockClient one = client(store());
        LockClient other = client(store());
        try (Actor first = new Actor("first");
                Actor second = new Actor("second")) {
            first.run(one.lock("left")::lock);
            second.run(other.lock("right")::lock);
            first.begin(one.lock("right")::lock);
            second.begin(other.lock("left")::lock);

            List<Deadlock> found = new ArrayList<>();
            Await.until("a deadlock", () -> found.addAll(one.admin().deadlocks()));

            assertThat(found.get(0).circle())
                    .extracting(waiting -> waiting.who().thread() + " waits for " + waiting.wants())
                    .containsExactlyInAnyOrder("first waits for right", "second waits for left");
            clients.forEach(LockClient::close);
        }
    }
}
