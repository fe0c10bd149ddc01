package io.wellkeeper.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockSource;
import io.wellkeeper.testservers.ZooKeeperEnsemble;
import io.wellkeeper.testservers.ZooKeeperOptions;
import io.wellkeeper.testservers.ZooKeeperProcess;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A leader that has lost its followers, and has not noticed: for {@code syncLimit} it answers
 * whatever needs no majority, while the others have elected another leader, which ends the sessions of its clients.
 */
@Tag("full")
class DeposedLeaderTest {

    private static final ClientOptions OPTIONS =
            ClientOptions.builder().sessionTimeout(Duration.ofSeconds(2)).build();

    private static final ZooKeeperOptions SLOW_TO_NOTICE =
            ZooKeeperOptions.defaults().syncLimit(120); // ticks of half a second

    @Test
    void isHeld_holderIsConnectedToADeposedLeader_isFalseBeforeTheNextOneIsLetIn() throws Exception {
        assertNobodyIsInBeside("zookeeper://", uri -> LockClient.connect(uri, OPTIONS));
    }

    @Test
    void isHeld_holderOfASimpleLockIsConnectedToADeposedLeader_isFalseBeforeTheNextOneIsLetIn() throws Exception {
        assertNobodyIsInBeside("zookeeper-simple://", uri -> LeaseClient.connect(uri, OPTIONS));
    }

    private static void assertNobodyIsInBeside(String scheme, Function<String, ? extends LockSource> connect)
            throws Exception {
        try (ZooKeeperEnsemble ensemble = ZooKeeperEnsemble.startSeparable(SLOW_TO_NOTICE)) {
            ZooKeeperProcess leader = ensemble.leader();
            String followers =
                    ensemble.followers().stream().map(ZooKeeperProcess::address).collect(Collectors.joining(","));
            try (LockSource first = connect.apply(scheme + leader.address());
                    LockSource second = connect.apply(scheme + followers)) {
                LockHandle held = first.lock("deposed").acquireAsync().get(60, TimeUnit.SECONDS);
                CompletableFuture<Boolean> heldBeside =
                        second.lock("deposed").acquireAsync().thenApply(next -> held.isHeld());
                ensemble.separate(leader);

                assertThat(heldBeside.get(60, TimeUnit.SECONDS)).isFalse();
                assertThat(leader.mode()).as("what it takes itself for").contains("leader");
            }
        }
    }
}
