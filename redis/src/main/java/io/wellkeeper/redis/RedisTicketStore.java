package io.wellkeeper.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.resource.ClientResources;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.SessionListener;
import io.wellkeeper.spi.SessionOptions;
import io.wellkeeper.spi.StoreRefusalException;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.spi.TicketStore;
import io.wellkeeper.spi.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Keeps the queues of locks in one Redis server, 6.2 or later, or in a server compatible with it. A lock is a sorted
 * set, its tickets are the members, and a session is an entry in a sorted set of deadlines.
 *
 * <p><b>Guarantees.</b> A script draws the number and shows the queue in one step, so order is the order of the server.
 * What Redis forgets is lost: a server that comes back with only a part of its data may have lost a ticket, and the
 * owner of the ticket learns of it only at its next heartbeat. A server that comes back without sessions lets none
 * begin until it has been up for the timeout of the session that is asked for: by then all owners know that their locks
 * were forgotten. This requires that all sessions have the same timeout; {@code restartGuard=off} in the URI gives this
 * protection up for a start without delay. A session that the server does not know is told nothing of queues. The
 * fencing token is the server's clock in microseconds, or one more than the last token if that is larger; the last
 * token of any lock is kept for a day after the last use of any lock. So the token grows also when the server's clock
 * is set back, and when the server has lost its data; but not when both happen together.
 *
 * <p><b>Time.</b> A session ends, by the server's clock, when it was not renewed for its timeout <i>T</i>. The client
 * sends a heartbeat every <i>T</i>/4. After an acknowledged heartbeat it relies on the session for four fifths of
 * <i>T</i>, by its own monotonic clock, from the sending of the heartbeat. The rest is for clocks that run at different
 * speeds, and for a server's clock that is set forward a little; setting it forward by more than <i>T</i>/5 at once
 * ends sessions whose owners do not know it.
 *
 * <p><b>Cost.</b> A free lock takes two requests, and the client waits for the answer to one of them. A lock that is
 * not free takes no more: the request that takes a ticket also watches the nearest ticket of another session, and the
 * departure of a ticket is told to exactly the sessions that watch it. A session has one connection, and renews all
 * that it holds by one request. The tickets that it waits for are checked again every two seconds, and when the time of
 * a session ahead runs out, in one request for up to 200 tickets.
 *
 * <p><b>Failure.</b> Requests that were not answered are sent again when the connection is made again; each may be
 * carried out twice without harm. Nothing is kept of a lock that nobody holds or waits for, unless it has a notice. The
 * notice is deleted a day after the last ticket of its name; if there never was a ticket, it stays.
 *
 * <p>As a URI: {@code redis://user:password@host:6379/database?prefix=wellkeeper&client=name}, and {@code rediss://} for
 * TLS with a check of the host's name.
 */
public final class RedisTicketStore implements TicketStore {

    private static final Duration FAREWELL = Duration.ofSeconds(5);
    private static final int ATTEMPTS = 3; // to read the names of a partition

    private final Topology topology;
    private final Keys keys;
    private final RedisPlace place;
    private final Optional<ClientResources> ownResources;
    private final RedisClient client;
    private final Wires wires;
    private final PartitionCount count;
    private final List<Shard> shards;
    private final Set<RedisSession> sessions = ConcurrentHashMap.newKeySet();
    private final Openings openings = new Openings();
    private volatile boolean closed;

    /**
     * @param resources for this store alone
     */
    RedisTicketStore(RedisPlace place, ClientResources resources) {
        this(place, resources, true, ClientOptions.builder());
    }

    private RedisTicketStore(
            RedisPlace place, ClientResources resources, boolean own, ClientOptions.Builder connections) {
        this.ownResources = own ? Optional.of(resources) : Optional.empty();
        this.client = RedisClient.create(resources);
        client.setOptions(NewerLettuce.withoutMaintenanceNotices(connections)
                .protocolVersion(ProtocolVersion.RESP3)
                .timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build()) // requests stay open
                .autoReconnect(false) // a link does that
                .build());
        this.topology = place.topology(client);
        this.keys = place.keys();
        this.place = place;
        this.wires = new Wires(client);
        this.count = new PartitionCount(topology, wires, keys);
        this.shards = keys.partitions().stream().map(Shard::new).toList();
    }

    /**
     * A store with connections of its own. Nothing is sent yet.
     *
     * @param uri where the servers are
     * @return the store, owned by the caller
     * @throws IllegalArgumentException if the URI is wrong, saying which part and why
     */
    public static RedisTicketStore of(StoreUri uri) {
        RedisPlace place = RedisPlace.of(uri);
        return new RedisTicketStore(place, ClientResources.create());
    }

    /**
     * As {@link #of(StoreUri)}, but uses the threads of the caller's Lettuce client, its resolver of addresses, and
     * its options for sockets and TLS, such as the certificates that it trusts. Its other options are not used, such as
     * a limit to the requests that it keeps. The client stays open, and its connections are not used.
     *
     * @param lettuce the client
     * @param uri where the servers are
     * @return the store, owned by the caller
     * @throws IllegalArgumentException if the URI is wrong, saying which part and why
     */
    public static RedisTicketStore over(RedisClient lettuce, StoreUri uri) {
        ClientOptions theirs = lettuce.getOptions();
        return new RedisTicketStore(
                RedisPlace.of(uri),
                lettuce.getResources(),
                false,
                ClientOptions.builder().socketOptions(theirs.getSocketOptions()).sslOptions(theirs.getSslOptions()));
    }

    /** On a Cluster, the locks of one partition. */
    private final class Shard implements TicketStore {

        private final Keys.Partition partition;
        private final RestartGuard guard = new RestartGuard(place.restartGuard());
        private volatile boolean lastFailed; // the last attempt to begin a session

        Shard(Keys.Partition partition) {
            this.partition = partition;
        }

        @Override
        public CompletionStage<Session> open(SessionOptions options, SessionListener listener) {
            CompletionStage<Session> opening =
                    RedisTicketStore.this.open(partition, guard, lastFailed, options, listener);
            opening.whenComplete((session, failure) -> lastFailed = failure != null);
            return opening;
        }

        @Override
        public String address() {
            return RedisTicketStore.this.address();
        }

        @Override
        public void close() {
            RedisTicketStore.this.close();
        }
    }

    @Override
    public TicketStore shard(String name) {
        return shards.size() == 1 ? this : shards.get(keys.of(name).number());
    }

    /** Begins a session in the first partition, which is the only one unless the servers are a Cluster. */
    @Override
    public CompletionStage<Session> open(SessionOptions options, SessionListener listener) {
        return shards.get(0).open(options, listener);
    }

    private CompletionStage<Session> open(
            Keys.Partition partition,
            RestartGuard guard,
            boolean again,
            SessionOptions options,
            SessionListener listener) {
        CompletableFuture<Session> result = new CompletableFuture<>();
        if (!openings.begin(result, address())) {
            return result;
        }
        if (!guard.left().isZero()) {
            count.doubt();
        }
        count.check(options.clientName(), RedisSession.idleMillis(options.timeout()))
                .whenComplete((agreed, refused) -> {
                    if (refused == null) {
                        open(partition, guard, again, options, listener, result);
                    } else {
                        result.completeExceptionally(Stages.unwrap(refused));
                    }
                });
        return result;
    }

    private void open(
            Keys.Partition partition,
            RestartGuard guard,
            boolean again,
            SessionOptions options,
            SessionListener listener,
            CompletableFuture<Session> result) {
        Link link = new Link(new Way(partition, options.clientName(), again), listener, options.timeout());
        RedisSession session = new RedisSession(
                link, keys, partition, guard, elsewhere(options), replicas(partition, options), options.timeout());
        sessions.removeIf(RedisSession::left);
        sessions.add(session);
        session.open().whenComplete((opened, refused) -> {
            if (refused != null) {
                sessions.remove(session);
                link.disconnect().whenComplete((gone, never) -> result.completeExceptionally(Stages.unwrap(refused)));
                return;
            }
            if (closed) {
                session.close().whenComplete((gone, never) -> result.complete(session));
            } else {
                result.complete(session);
            }
        });
        if (closed) { // perhaps before this session was added to those that close() ends
            session.close();
        }
    }

    private RedisSession.Elsewhere elsewhere(SessionOptions options) {
        String clientName = options.clientName();
        return new RedisSession.Elsewhere() {
            @Override
            public CompletableFuture<List<Object>> names(
                    Keys.Partition partition, List<String> three, List<String> arguments) {
                return RedisTicketStore.this.names(new Way(partition, clientName, false), three, arguments, ATTEMPTS);
            }

            @Override
            public void touch() {
                count.touch(clientName, RedisSession.idleMillis(options.timeout()));
            }

            @Override
            public CompletionStage<List<String>> warnings() {
                return Checkup.of(topology, keys.partitions(), wires, clientName);
            }
        };
    }

    private Optional<Replicas> replicas(Keys.Partition partition, SessionOptions options) {
        return place.replicas() == 0
                ? Optional.empty()
                : Optional.of(new Replicas(
                        new Way(partition, options.clientName() + "-replicas-" + partition.number(), false),
                        partition.sequences(),
                        RedisSession.idleMillis(options.timeout()),
                        place.replicas(),
                        place.replicaTimeout()));
    }

    /** Makes connections to the master of one partition. */
    private final class Way implements Link.Route {

        private final Keys.Partition partition;
        private final String clientName;
        private final boolean doubtful;

        /**
         * @param doubtful whether the server that is known to be in charge could not be used before
         */
        Way(Keys.Partition partition, String clientName, boolean doubtful) {
            this.partition = partition;
            this.clientName = clientName;
            this.doubtful = doubtful;
        }

        @Override
        public CompletionStage<Wire> wire(boolean again) {
            if (client.getResources().eventExecutorGroup().isShuttingDown()) {
                return CompletableFuture.failedFuture(new StoreRefusalException("cannot reach Redis at " + address()
                        + ": the Lettuce client whose threads are used was shut down"));
            }
            return topology.master(partition.slot(), again || doubtful)
                    .thenCompose(server -> wires.to(server, clientName));
        }

        @Override
        public CompletionStage<Void> release(Wire wire) {
            return wires.release(wire);
        }

        @Override
        public void follow(Wire wire) {
            topology.isReplaced(wire.address()).thenAccept(replaced -> {
                if (replaced) {
                    wire.breakOff();
                }
            });
        }

        @Override
        public String address() {
            return topology.address();
        }
    }

    private CompletableFuture<List<Object>> names(Way way, List<String> three, List<String> arguments, int attempts) {
        CompletableFuture<List<Object>> result = new CompletableFuture<>();
        way.wire(attempts < ATTEMPTS).whenComplete((wire, unreachable) -> {
            if (unreachable != null) {
                result.completeExceptionally(Stages.unwrap(unreachable));
                return;
            }
            wire.send(CommandType.EVAL, () -> new Wire.Call(Script.NAMES, three, arguments), (answer, failure) -> {
                way.release(wire);
                if (answer != null) {
                    result.complete(answer);
                } else if (attempts > 1) {
                    names(way, three, arguments, attempts - 1).whenComplete((names, last) -> {
                        if (last == null) {
                            result.complete(names);
                        } else {
                            result.completeExceptionally(last);
                        }
                    });
                } else {
                    result.completeExceptionally(
                            new LockStoreException("Redis at " + address() + ": cannot read the names: " + failure));
                }
            });
        });
        return result;
    }

    /** The sessions that were opened or are being opened; those that have left may still be among them. */
    Set<RedisSession> sessions() {
        return sessions;
    }

    @Override
    public String address() {
        return topology.address();
    }

    @Override
    public String toString() {
        return "RedisTicketStore[" + address() + "]";
    }

    /** Ends all sessions and connections; does not wait for their end. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        List<CompletableFuture<?>> ends = new ArrayList<>();
        ends.add(openings.close());
        sessions.forEach(session -> ends.add(session.close().toCompletableFuture()));
        Time.limit(CompletableFuture.allOf(ends.toArray(CompletableFuture<?>[]::new)), FAREWELL)
                .handle((ended, late) -> topology.close().thenCompose(quiet -> wires.close()))
                .thenCompose(noneIsMade -> Time.limit(noneIsMade, FAREWELL))
                .whenComplete((done, failure) -> client.shutdownAsync(0, FAREWELL.toMillis(), TimeUnit.MILLISECONDS)
                        .whenComplete((down, never) -> ownResources.ifPresent(
                                own -> own.shutdown(0, FAREWELL.toMillis(), TimeUnit.MILLISECONDS))));
        sessions.clear();
    }
}
