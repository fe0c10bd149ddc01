package io.wellkeeper.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.MaintNotificationsConfig;
import io.lettuce.core.RedisClient;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.SessionListener;
import io.wellkeeper.spi.SessionOptions;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.spi.TicketStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Keeps the queues of locks in one Redis server, 6.2 or later, or one that speaks as it does. A lock is a sorted set, its
 * tickets are the members, and a session is an entry in a sorted set of deadlines.
 *
 * <p><b>Guarantees.</b> A script draws the number and shows the queue in one step, so order is the order of the server.
 * What Redis forgets is forgotten: a server that restarts without its data ends all sessions, and their owners may learn
 * of it only at their next heartbeat. The fencing token is the server's clock in microseconds, or one more than the last
 * token of the lock if that is larger; the last token is kept for a day after the lock was used. So it grows as long as
 * the server's clock is not set back by more than the lock was left alone, also when the server has lost its data.
 *
 * <p><b>Time.</b> A session ends by the server's clock when it was not renewed for its timeout <i>T</i>. A heartbeat goes
 * out every <i>T</i>/4, and an acknowledged one is good for four fifths of <i>T</i>, by the client's monotonic clock from
 * its sending. The rest is for clocks that run at different speeds, and for a server's clock that is set forward a
 * little; setting it forward by more than <i>T</i>/5 at once ends sessions whose owners do not know it.
 *
 * <p><b>Cost.</b> A free lock takes two requests, of which one is waited for. A lock that has to be waited for takes no
 * more: taking a ticket also watches the two nearest tickets of others, and their departure is told to exactly those who
 * watch it. A session has one connection, and renews all that it holds by one request. What it waits for is looked at
 * again every two seconds, and when the time of a session ahead runs out, in one request for up to 200 tickets.
 *
 * <p><b>Failure.</b> Requests that were not answered are sent again when the connection is made again; each may be
 * carried out twice without harm. Keys that nobody uses vanish within a day.
 *
 * <p>As a URI: {@code redis://user:password@host:6379/database?prefix=wellkeeper&client=name}, and {@code rediss://} for
 * TLS with a check of the host's name.
 */
public final class RedisTicketStore implements TicketStore {

    private static final Duration FAREWELL = Duration.ofSeconds(1);
    private static final Duration RECONNECT = Duration.ofMillis(50);

    private final RedisServer server;
    private final Keys keys;
    private final ClientResources resources;
    private final RedisClient client;
    private final Set<RedisSession> sessions = ConcurrentHashMap.newKeySet();
    private final Set<CompletableFuture<Session>> opening = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    private RedisTicketStore(RedisServer server) {
        this.server = server;
        this.keys = new Keys(server.prefix(), Keys.SINGLE);
        this.resources = ClientResources.builder()
                .reconnectDelay(Delay.constant(RECONNECT))
                .build();
        this.client = RedisClient.create(resources);
        client.setOptions(ClientOptions.builder()
                .protocolVersion(ProtocolVersion.RESP3)
                .maintNotificationsConfig(MaintNotificationsConfig.disabled())
                .timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build()) // what was sent stays open
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.ACCEPT_COMMANDS)
                .build());
    }

    /**
     * A store with connections of its own, one for each session. Nothing is sent yet.
     *
     * @param uri where the server is
     * @return the store, owned by the caller
     * @throws IllegalArgumentException if the URI is wrong, saying which part and why
     */
    public static RedisTicketStore of(StoreUri uri) {
        return new RedisTicketStore(RedisServer.of(uri));
    }

    @Override
    public CompletionStage<Session> open(SessionOptions options, SessionListener listener) {
        if (closed) {
            return CompletableFuture.failedFuture(new LockStoreException("the store at " + address() + " was closed"));
        }
        CompletableFuture<Session> result = new CompletableFuture<>();
        opening.add(result);
        result.whenComplete((session, failure) -> opening.remove(result));
        client.connectPubSubAsync(StringCodec.UTF8, server.uri(options.clientName()))
                .whenComplete((connection, failure) -> {
                    if (connection == null) {
                        result.completeExceptionally(server.unreachable(failure));
                    } else {
                        begin(new Link(address(), connection, listener), options, result);
                    }
                });
        return result;
    }

    private void begin(Link link, SessionOptions options, CompletableFuture<Session> result) {
        RedisSession session = new RedisSession(link, keys, options.timeout());
        session.open().whenComplete((opened, refused) -> {
            if (refused != null) {
                link.disconnect().whenComplete((gone, never) -> result.completeExceptionally(Stages.unwrap(refused)));
                return;
            }
            sessions.removeIf(RedisSession::left);
            sessions.add(session);
            if (closed) {
                session.close().whenComplete((gone, never) -> result.complete(session));
            } else {
                result.complete(session);
            }
        });
    }

    /** Those that were opened and have not left. */
    Set<RedisSession> sessions() {
        return sessions;
    }

    @Override
    public String address() {
        return server.address();
    }

    /** Ends all sessions and connections; does not wait for it. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        List<CompletableFuture<?>> ends = new ArrayList<>(opening);
        sessions.forEach(session -> ends.add(session.close().toCompletableFuture()));
        CompletableFuture.allOf(ends.toArray(CompletableFuture<?>[]::new))
                .orTimeout(FAREWELL.toMillis(), TimeUnit.MILLISECONDS)
                .whenComplete((done, failure) -> client.shutdownAsync(0, FAREWELL.toMillis(), TimeUnit.MILLISECONDS)
                        .whenComplete(
                                (down, never) -> resources.shutdown(0, FAREWELL.toMillis(), TimeUnit.MILLISECONDS)));
        sessions.clear();
    }
}
