package io.wellkeeper.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.testservers.ZooKeeperEnsemble;
import io.wellkeeper.testservers.ZooKeeperProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Servers that die while hundreds of acquisitions are under way. */
@Tag("full")
class FailoverTest {

    private static final Duration PLENTY = Duration.ofSeconds(90);

    private static ZooKeeperEnsemble ensemble;

    @BeforeAll
    static void startEnsemble() {
        ensemble = ZooKeeperEnsemble.start();
    }

    @AfterAll
    static void stopEnsemble() {
        ensemble.close();
    }

    @Test
    void kill_leaderUnderLoad_noDoubleGrantNoLostWaiterTokensGrow() throws Exception {
        underLoad("failover/killed", () -> {
            ZooKeeperProcess leader = ensemble.leader();
            leader.kill();
            return leader::restart;
        });
    }

    @Test
    void pause_leaderUnderLoad_noDoubleGrantNoLostWaiterTokensGrow() throws Exception {
        underLoad("failover/paused", () -> {
            ZooKeeperProcess leader = ensemble.leader();
            leader.pause();
            return leader::resume;
        });
    }

    /** Does harm and returns what repairs it. */
    private interface Harm {
        Runnable strike();
    }

    private static void underLoad(String name, Harm harm) throws Exception {
        Sections sections = new Sections();
        AtomicBoolean enough = new AtomicBoolean();
        List<LockClient> clients = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        try {
            for (int c = 0; c < 4; c++) {
                LockClient client = LockClient.connect(
                        "zookeeper://" + ensemble.address(),
                        ClientOptions.builder()
                                .sessionTimeout(Duration.ofSeconds(6))
                                .build());
                clients.add(client);
                for (int t = 0; t < 50; t++) {
                    DistributedLock lock = client.lock(name);
                    threads.add(new Thread(() -> {
                        while (!enough.get()) {
                            sections.run(lock, () -> {});
                        }
                    }));
                }
            }
            threads.forEach(Thread::start);
            awaitProgress(sections);
            Runnable repair = harm.strike();
            awaitProgress(sections);
            repair.run();
            awaitProgress(sections);
            enough.set(true);
            for (Thread thread : threads) {
                thread.join(PLENTY.toMillis());
                assertThat(thread.isAlive()).as("still waiting: %s", thread).isFalse();
            }
            assertThat(clients.get(0).lock(name).tryLock(PLENTY.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
            clients.get(0).lock(name).unlock();
        } finally {
            enough.set(true);
            clients.forEach(LockClient::close);
        }
        sections.assertExclusiveAndFenced();
    }

    private static void awaitProgress(Sections sections) {
        int before = sections.count();
        await().atMost(PLENTY).until(() -> sections.count() > before + 500);
    }
}
