package io.wellkeeper.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockOptions;
import io.wellkeeper.testservers.TcpProxy;
import io.wellkeeper.testservers.ZooKeeperOptions;
import io.wellkeeper.testservers.ZooKeeperProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What locks cost in requests, as a proxy in front of the server counts them. */
class RoundTripTest {

    private static ZooKeeperProcess server;

    private final AtomicLong requests = new AtomicLong();
    private TcpProxy proxy;
    private long settlings; // requests that were made to be sure that all others had arrived

    @BeforeAll
    static void startServer() {
        server = ZooKeeperProcess.start(ZooKeeperOptions.defaults().tickMillis(60_000));
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @BeforeEach
    void startProxy() {
        proxy = TcpProxy.framed(server.port());
        requests.set(0);
        settlings = 0;
        proxy.rule(request -> {
            if (request.getInt(0) > 0) { // neither a ping nor the beginning of a connection
                requests.incrementAndGet();
            }
            return TcpProxy.Fate.FORWARD;
        });
    }

    @AfterEach
    void stopProxy() {
        proxy.close();
    }

    @Test
    void lockAndUnlock_freeLockAndReleaseAwaited_costThreeRequests() {
        assertThat(requestsOfFiftyCycles(
                        LockOptions.builder().awaitRelease(true).build()))
                .isEqualTo(150);
    }

    /** Each removal may go out with the next ticket, and then nothing is listed. */
    @Test
    void lockAndUnlock_freeLockAgainAndAgain_costOneToThreeRequests() {
        assertThat(requestsOfFiftyCycles(LockOptions.defaults())).isBetween(50L, 150L);
    }

    private long requestsOfFiftyCycles(LockOptions options) {
        try (LockClient client = connect(options)) {
            DistributedLock lock = client.lock("trips/free");
            cycle(lock);
            long before = settled(client);
            for (int i = 0; i < 50; i++) {
                cycle(lock);
            }

            return settled(client) - before;
        }
    }

    @Test
    void lock_handedOverOrReentered_costsNoRequest() throws Exception {
        try (LockClient client = connect(patient().build())) {
            DistributedLock lock = client.lock("trips/family");
            int threads = 12;
            lock.lock();
            List<Thread> family = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                Thread member = new Thread(() -> {
                    cycle(lock);
                });
                family.add(member);
                member.start();
                while (member.getState() != Thread.State.WAITING) {
                    Thread.onSpinWait();
                }
            }
            lock.lock();
            lock.unlock();
            long before = settled(client);
            lock.unlock();
            for (Thread member : family) {
                member.join();
            }

            // one question whether others wait, and one ticket given back
            assertThat(settled(client) - before).isLessThanOrEqualTo(2 + 1);
        }
    }

    @Test
    void lock_sixtyFourThreadsInStrictOrder_costsAConstantEach() throws Exception {
        try (LockClient one = connect(LockOptions.builder().handOvers(0).build());
                LockClient two = connect(LockOptions.builder().handOvers(0).build())) {
            int cycles = 10;
            int threads = 64;
            List<Thread> all = new ArrayList<>();
            cycle(one.lock("trips/strict"));
            long before = settled(one);
            for (int i = 0; i < threads; i++) {
                DistributedLock lock = (i % 2 == 0 ? one : two).lock("trips/strict");
                all.add(new Thread(() -> {
                    for (int c = 0; c < cycles; c++) {
                        cycle(lock);
                    }
                }));
            }
            all.forEach(Thread::start);
            for (Thread thread : all) {
                thread.join();
            }

            // create, list and delete; watch two; look again; and a little for the unlucky moments
            assertThat((settled(one) - before) / (double) (cycles * threads)).isBetween(3.0, 9.0);
        }
    }

    @Test
    void lockAndUnlock_retained_costNoRequest() {
        try (LockClient client = connect(patient().retain(true).build())) {
            DistributedLock lock = client.lock("trips/retained");
            cycle(lock);
            long before = settled(client);
            for (int i = 0; i < 10_000; i++) {
                cycle(lock);
            }

            assertThat(settled(client) - before).isZero();
        }
    }

    /** Until it is known that nobody else waits, a ticket is kept for the time of hand-overs only, which a busy machine exceeds. */
    private static LockOptions.Builder patient() {
        return LockOptions.builder().handOverTime(Duration.ofMinutes(1));
    }

    private static void cycle(DistributedLock lock) {
        lock.lock();
        lock.unlock();
    }

    /** How many requests there have been by now; the last reply comes after all that were sent before. */
    private long settled(LockClient client) {
        client.admin().inspect("nobody ever locks this");
        settlings += 3; // the tickets, the notice and, since there is none, the node in which it would be
        return requests.get() - settlings;
    }

    /** Sessions so long that no heartbeat falls into a test. */
    private LockClient connect(LockOptions options) {
        return LockClient.connect(
                "zookeeper://" + proxy.address(),
                ClientOptions.builder()
                        .sessionTimeout(Duration.ofMinutes(10))
                        .lockDefaults(options)
                        .build());
    }
}
