package io.wellkeeper.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.SessionOptions;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.spi.TicketRequest;
import io.wellkeeper.testservers.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** A store with the threads of an application's own Lettuce client, which is set up for something else. */
@ExtendWith(SharedServers.class)
class OtherClientTest {

    private final RedisProcess server;

    OtherClientTest(SingleServer servers) {
        server = servers.masters().get(0);
    }

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void over_clientThatKeepsFewRequests_takesManyTicketsAtOnceOnOneConnection() {
        RedisClient lettuce = RedisClient.create();
        lettuce.setOptions(ClientOptions.builder()
                .requestQueueSize(8)
                .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
                .build());
        try (RedisTicketStore store =
                RedisTicketStore.over(lettuce, StoreUri.parse("redis://" + server.address() + "?restartGuard=off"))) {
            Session session = Await.get(store.open(new SessionOptions("test", Duration.ofMinutes(1)), new Nobody()));
            long before = connections();
            List<CompletionStage<Place>> taken = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                taken.add(session.queue("l" + i).take(new TicketRequest("r" + i, Mode.EXCLUSIVE, 1, "")));
            }

            taken.forEach(one -> assertThat(Await.get(one).ahead()).isEmpty());
            assertThat(connections()).isEqualTo(before + 1); // by which this is asked
            Await.get(session.close());
        } finally {
            lettuce.shutdown();
        }
    }

    private long connections() {
        return Long.parseLong(server.info("stats").get("total_connections_received"));
    }
}
