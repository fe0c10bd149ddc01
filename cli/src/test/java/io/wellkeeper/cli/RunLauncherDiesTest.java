package io.wellkeeper.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.cli.run.Processes;
import io.wellkeeper.testservers.MariaDbProcess;
import io.wellkeeper.testservers.PostgresProcess;
import io.wellkeeper.testservers.RedisProcess;
import io.wellkeeper.testservers.ZooKeeperProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code run} that is killed or stopped itself: its command has ended before anybody else is granted the lock. */
@Tag("full")
@Timeout(120)
class RunLauncherDiesTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final List<Long> families = new ArrayList<>();

    @TempDir
    private Path directory;

    @AfterEach
    void nothingRunsOn() {
        families.forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
    }

    @Test
    void run_onZooKeeper_familyIsDeadBeforeTheNextHolder() throws Exception {
        try (ZooKeeperProcess server = ZooKeeperProcess.start()) {
            familyIsDeadBeforeTheNextHolder("zookeeper://" + server.address() + "?");
        }
    }

    @Test
    void run_onRedis_familyIsDeadBeforeTheNextHolder() throws Exception {
        try (RedisProcess server = RedisProcess.start()) {
            familyIsDeadBeforeTheNextHolder("redis://" + server.address() + "?restartGuard=off&");
        }
    }

    @Test
    void run_onPostgres_familyIsDeadBeforeTheNextHolder() throws Exception {
        try (PostgresProcess server = PostgresProcess.start()) {
            familyIsDeadBeforeTheNextHolder(server.jdbcUrl() + (server.jdbcUrl().contains("?") ? "&" : "?"));
        }
    }

    @Test
    void run_onMariaDb_familyIsDeadBeforeTheNextHolder() throws Exception {
        try (MariaDbProcess server = MariaDbProcess.start()) {
            familyIsDeadBeforeTheNextHolder(server.jdbcUrl() + (server.jdbcUrl().contains("?") ? "&" : "?"));
        }
    }

    @Test
    void run_onSqlite_familyIsDeadBeforeTheNextHolder() throws Exception {
        familyIsDeadBeforeTheNextHolder("jdbc:sqlite:" + directory.resolve("locks.db") + "?");
    }

    /**
     * @param uri to which a parameter can be added
     */
    private void familyIsDeadBeforeTheNextHolder(String uri) throws Exception {
        String store = uri + "sessionTimeout=5s&storeTimeout=60s";
        try (LockClient client = LockClient.connect(store);
                CliProcess killed = run(store, "killed");
                CliProcess stopped = run(store, "stopped")) {
            List<Long> ofKilled = pids(killed);
            List<Long> ofStopped = pids(stopped);
            killed.signal("KILL");
            stopped.signal("STOP");

            Optional<LockHandle> first = client.lock("killed").tryAcquire(PATIENCE);
            assertThat(first).isPresent();
            assertThat(ofKilled).allMatch(Processes::isDead);
            Optional<LockHandle> second = client.lock("stopped").tryAcquire(PATIENCE);
            assertThat(second).isPresent();
            assertThat(ofStopped).allMatch(Processes::isDead);

            stopped.signal("CONT");
            assertThat(stopped.exitCode()).isEqualTo(ExitCode.LOCK_LOST);
        }
    }

    /**
     * A shell, its child and its grandchild, and one in another process group whose parent is gone; all deaf to TERM, and say
     * who they are.
     */
    private static CliProcess run(String store, String lock) throws IOException {
        String family = "trap '' TERM; sh -c 'sleep 1000 & echo $!; wait' & echo $!; echo $$;"
                + " (timeout 1000 sh -c 'echo $$; exec sleep 1000' &) & while :; do sleep 0.05; done";
        return CliProcess.start("--store", store, "run", lock, "--", "sh", "-c", family);
    }

    private List<Long> pids(CliProcess run) throws InterruptedException {
        List<Long> pids = new ArrayList<>();
        while (pids.size() < 4) {
            pids.add(Long.valueOf(run.line()));
        }
        families.addAll(pids);
        await().until(() -> pids.stream().noneMatch(Processes::isDead));
        return pids;
    }
}
