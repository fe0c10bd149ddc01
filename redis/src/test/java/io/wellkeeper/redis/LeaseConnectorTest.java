package io.wellkeeper.redis;

import static io.wellkeeper.redis.Await.failure;
import static io.wellkeeper.redis.Await.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisURI;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.SocketAddressResolver;
import io.wellkeeper.testservers.TcpProxy;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The end of the connections of a store, and of attempts to make one. */
@ExtendWith(SharedServers.class)
class LeaseConnectorTest {

    private final TcpProxy proxy;
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch mayGoOn = new CountDownLatch(1);
    private final ClientResources resources = ClientResources.builder()
            .socketAddressResolver(new SocketAddressResolver() {
                @Override
                public SocketAddress resolve(RedisURI uri) {
                    begun.countDown();
                    assertThat(mayGoOn).satisfies(CountDownLatch::await);
                    return super.resolve(uri);
                }
            })
            .build();
    private final LeaseConnector connector = new LeaseConnector(resources);

    LeaseConnectorTest(SingleServer servers) {
        this.proxy = TcpProxy.of(servers.masters().get(0).port());
    }

    @AfterEach
    void close() {
        mayGoOn.countDown();
        connector.close(CompletableFuture.completedFuture(null));
        proxy.close();
    }

    private CompletableFuture<StatefulRedisPubSubConnection<String, String>> connect() {
        return connector
                .connect(RedisURI.builder()
                        .withHost("127.0.0.1")
                        .withPort(proxy.port())
                        .withTimeout(Duration.ofSeconds(2))
                        .build())
                .toCompletableFuture();
    }

    @Test
    void close_connected_closesTheConnection() {
        mayGoOn.countDown();
        get(connect());

        connector.close(CompletableFuture.completedFuture(null));
        connector.close(CompletableFuture.completedFuture(null));

        await().until(() -> proxy.connections() == 0);
        await().until(() -> resources.eventExecutorGroup().isTerminated());
    }

    @Test
    void connect_afterClose_fails() {
        mayGoOn.countDown();
        get(connect());
        connector.close(CompletableFuture.completedFuture(null));

        assertThat(failure(connect())).hasMessageContaining("closed");

        await().until(() -> proxy.connections() == 0);
    }

    @Test
    void connect_beginningAtClose_endsAndLeavesNoConnection() {
        CompletableFuture<?> attempt = CompletableFuture.supplyAsync(this::connect, task -> new Thread(task).start())
                .thenCompose(connecting -> connecting);
        assertThat(begun).satisfies(CountDownLatch::await);

        connector.close(CompletableFuture.completedFuture(null));
        mayGoOn.countDown();

        get(attempt.handle((connection, failure) -> true));
        await().until(() -> proxy.connections() == 0);
        await().until(() -> resources.eventExecutorGroup().isTerminated());
    }

    @Test
    void close_afterWhatNeverEnds_closesTheConnection() {
        mayGoOn.countDown();
        get(connect());

        connector.close(new CompletableFuture<>());

        await().until(() -> proxy.connections() == 0);
        await().until(() -> resources.eventExecutorGroup().isTerminated());
    }
}
