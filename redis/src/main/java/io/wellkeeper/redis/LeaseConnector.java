package io.wellkeeper.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.wellkeeper.spi.Time;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Has the threads of one store of leases, and makes its connections. Lettuce does not restore a connection that is
 * lost, so that it sends nothing twice without the store's knowing.
 */
final class LeaseConnector {

    private static final Duration FAREWELL = Duration.ofSeconds(1);
    private static final Duration QUIET = Duration.ofMillis(100); // in which what is being closed may still report that

    private static final Duration PATIENCE = Duration.ofSeconds(5); // at the end, with operations that do not end

    private final ClientResources resources;
    private final RedisClient client;
    private final Openings openings = new Openings();
    private final AtomicBoolean closed = new AtomicBoolean();

    LeaseConnector() {
        this(ClientResources.create());
    }

    /** With threads of its own, which {@link #close} ends. */
    LeaseConnector(ClientResources resources) {
        this.resources = resources;
        this.client = RedisClient.create(resources);
        client.setOptions(NewerLettuce.withoutMaintenanceNotices(ClientOptions.builder())
                .protocolVersion(ProtocolVersion.RESP3)
                .timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build()) // LeaseLink has its own
                .autoReconnect(false)
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .build());
    }

    /** For questions to servers. */
    RedisClient client() {
        return client;
    }

    /** Fails at once after {@link #close}. */
    CompletionStage<StatefulRedisPubSubConnection<String, String>> connect(RedisURI uri) {
        CompletableFuture<StatefulRedisPubSubConnection<String, String>> result = new CompletableFuture<>();
        if (openings.begin(result, uri.getHost() + ':' + uri.getPort())) {
            Stages.of(() -> client.connectPubSubAsync(StringCodec.UTF8, uri)).whenComplete((connection, failure) -> {
                if (failure == null) {
                    result.complete(connection);
                } else {
                    result.completeExceptionally(failure);
                }
            });
        }
        return result;
    }

    /**
     * Ends everything; does not wait for it. The client is shut down when no attempt to connect is under way: an
     * attempt that the client does not know yet could end with a connection that nobody closes.
     *
     * @param before ends first, if it ends soon
     */
    void close(CompletableFuture<?> before) {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        Time.limit(before.handle((ended, failure) -> true).thenCompose(ended -> openings.close()), PATIENCE)
                .handle((ended, late) -> true)
                .thenCompose(over -> client.shutdownAsync(0, FAREWELL.toMillis(), TimeUnit.MILLISECONDS))
                .whenComplete((down, never) ->
                        resources.shutdown(QUIET.toMillis(), FAREWELL.toMillis(), TimeUnit.MILLISECONDS));
    }
}
