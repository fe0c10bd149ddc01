package io.wellkeeper.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/**
 * The threads of one store of leases, and what makes its connections. A connection that is lost stays lost: nothing is
 * sent twice behind the store's back.
 */
final class LeaseConnector {

    private static final Duration FAREWELL = Duration.ofSeconds(1);
    private static final Duration QUIET = Duration.ofMillis(100); // in which what is being closed may still say so

    private final ClientResources resources;
    private final RedisClient client;

    LeaseConnector() {
        this(ClientResources.create());
    }

    /** With threads of its own, which it ends. */
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

    CompletionStage<StatefulRedisPubSubConnection<String, String>> connect(RedisURI uri) {
        return Stages.of(() -> client.connectPubSubAsync(StringCodec.UTF8, uri));
    }

    /** Ends everything; does not wait for it. */
    void close() {
        client.shutdownAsync(0, FAREWELL.toMillis(), TimeUnit.MILLISECONDS)
                .whenComplete((down, never) ->
                        resources.shutdown(QUIET.toMillis(), FAREWELL.toMillis(), TimeUnit.MILLISECONDS));
    }
}
