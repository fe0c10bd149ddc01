package io.wellkeeper.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.testservers.ZooKeeperEnsemble;
import io.wellkeeper.testservers.ZooKeeperProcess;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A server stands still, and does not break its connections; the others go on without it. */
@Tag("full")
class HungServerTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final Pattern SESSION = Pattern.compile("sid=0x[0-9a-f]*[1-9a-f]");

    private static LockClient connect(ZooKeeperEnsemble ensemble) {
        return LockClient.connect(
                "zookeeper://" + ensemble.address(),
                ClientOptions.builder().sessionTimeout(TIMEOUT).build());
    }

    private static boolean hasClient(ZooKeeperProcess server) {
        return SESSION.matcher(server.ask("cons")).find();
    }

    @Test
    void isHeld_serverOfTheHolderHangs_isTrueByWayOfAnotherServer() throws Exception {
        try (ZooKeeperEnsemble ensemble = ZooKeeperEnsemble.start()) {
            ZooKeeperProcess leader = ensemble.leader();
            LockClient client = connect(ensemble);
            while (hasClient(leader)) {
                client.close();
                client = connect(ensemble);
            }
            try (LockClient holder = client;
                    LockHandle held = holder.lock("hung").acquireAsync().get(60, TimeUnit.SECONDS)) {
                Optional<ZooKeeperProcess> hung = ensemble.followers().stream()
                        .filter(HungServerTest::hasClient)
                        .findFirst();
                hung.orElseThrow().pause();

                await().until(() -> !held.isHeld()
                        || ensemble.servers().stream()
                                .filter(server -> server != hung.get())
                                .anyMatch(HungServerTest::hasClient));
                held.checkHeld();
                await().until(() -> !held.isHeld()
                        || held.remaining()
                                        .compareTo(LeaderContact.validity(TIMEOUT)
                                                .multipliedBy(9)
                                                .dividedBy(10))
                                > 0);
                held.checkHeld();
                assertThat(held.isHeld()).isTrue();
                hung.get().resume();
            }
        }
    }
}
