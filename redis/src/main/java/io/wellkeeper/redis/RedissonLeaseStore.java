package io.wellkeeper.redis;

import io.lettuce.core.cluster.SlotHash;
import io.wellkeeper.Registration;
import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.LeaseStore;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.spi.Time;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Locks in the layout of Redisson's {@code RLock}: the same hash, the same channel, the same messages. So a fleet can
 * go over from Redisson process by process: this store and Redisson exclude each other, and wake each other's waiters.
 * It was tested against Redisson 4.7.0. A program that need not share a lock with Redisson does better with
 * {@link RedisTicketStore}.
 *
 * <p><b>What this layout cannot do.</b> There is no fencing token: {@link Lease#token()} is empty (Redisson's
 * {@code RFencedLock} counts tokens for its own holders only). There is no order: a release wakes one thread of every
 * process that waits, and the first to ask gets in, newcomers included. What the server forgets is free for others, as
 * with {@link RedisLeaseStore}, and the remarks there on time hold here too.
 *
 * <p><b>Beside an {@code RFairLock}</b> of the same name there is an order, that of Redisson's queue. As long as an
 * {@code RFairLock} has a waiter, nobody here gets in before that waiter, and each process that waits here joins the
 * same queue once. The process is told of its turn. If it dies in the queue, the others wait ten seconds for it; for a
 * process of Redisson they wait for the {@code fairLockWaitTimeout} of Redisson's configuration, five minutes by
 * default. The URI has to give this time, too, if it is another. Users of {@code RLock} pass the queue by, and with it
 * the waiters from here.
 *
 * <p><b>What is better than with Redisson.</b> A holder is told when it has lost the lock; reentrance is counted by the
 * client, so that a request that was carried out twice does not leave a lock that is never released; a release is one
 * request and nobody waits for it.
 *
 * <p><b>Layout.</b> The key of a lock is its name (behind the prefix, which is none by default and does what a
 * {@code NameMapper} does that adds one). The hash has one field, {@code <uuid>:1}, of value 1; Redisson takes it for a
 * thread of another client. Each release publishes {@code 0} on {@code redisson_lock__channel:{name}}, which on a Cluster,
 * of version 7 or later, is a sharded channel ({@code SPUBLISH}). There a name with a brace must have a hash tag.
 *
 * <p><b>Cost.</b> A free lock takes two requests, and the client waits for the answer to one of them. While a client
 * waits for a lock it subscribes to two channels of the lock, once for each lock and connection. A waiter looks again
 * within a second in any case.
 *
 * <p>As a URI: {@code redis-redisson://user:password@host:6379/database?prefix=&client=name&fairLockWaitTimeout=5m}, and
 * {@code rediss-redisson://} for TLS with a check of the host's name; {@code redis-redisson-sentinel://host:26379,host:26379/name}, with the
 * parameters of {@link RedisTicketStore}, for a master that sentinels choose; and
 * {@code redis-redisson-cluster://host:6379,host:6379} for a Cluster.
 */
public final class RedissonLeaseStore implements LeaseStore {

    private static final String CHANNEL = "redisson_lock__channel:";
    private static final String QUEUE = "redisson_lock_queue:";
    private static final String PATIENCE = "redisson_lock_timeout:";
    private static final Duration PAUSE = Duration.ofSeconds(1); // after an attempt to leave a queue has failed
    private static final int LEAVES = 10; // attempts to leave a queue: for as long as others wait for this process

    private final LeasePlace place;
    private final LeaseMasters masters;
    private final ReleaseHints hints; // by key
    private final String process = UUID.randomUUID().toString();
    private final AtomicLong waits = new AtomicLong(); // numbers the waits of this process
    // By key, the name of this process in the queue, for as long as it waits.
    private final Map<String, String> waiters = new ConcurrentHashMap<>();
    private final Set<String> queued = ConcurrentHashMap.newKeySet(); // waiters that may stand in a queue

    RedissonLeaseStore(LeasePlace place, LeaseConnector connector) {
        this.place = place;
        this.masters = new LeaseMasters(place, connector, server -> node(server, connector), this::subscribe);
        this.hints = new ReleaseHints(this::begin, this::end);
    }

    /**
     * The first waiter for a key has come. It gets a new name, so that a late request to leave under the old name
     * removes nothing.
     */
    private void begin(String key) {
        waiters.put(key, process + ":" + waits.incrementAndGet());
        subscribe(key);
    }

    private void subscribe(String key) {
        masters.at(key, link -> subscribe(key, link));
    }

    /** Subscribes to the channel of all who wait, and to that of this process. */
    private void subscribe(String key, LeaseLink link) {
        link.subscribe(channel(key), place.cluster());
        String waiter = waiters.get(key);
        if (waiter != null) {
            link.subscribe(ownChannel(key, waiter), place.cluster());
        }
    }

    /** No waiter for a key is left in this process. */
    private void end(String key) {
        String waiter = Objects.requireNonNull(waiters.remove(key));
        masters.at(key, link -> {
            link.unsubscribe(channel(key), place.cluster());
            link.unsubscribe(ownChannel(key, waiter), place.cluster());
        });
        leave(key, waiter);
    }

    private void leave(String key, String waiter) {
        if (queued.remove(waiter)) {
            leave(key, waiter, LEAVES);
        }
    }

    /** Takes the name of a waiter out of the queue; otherwise the others in the queue would wait for it. */
    private void leave(String key, String waiter, int attempts) {
        masters.run(LeaseScript.REDISSON_LEAVE, keys(key), List.of(waiter, channel(key), publish()))
                .whenComplete((left, failure) -> {
                    if (failure != null && attempts > 1) {
                        Time.later(PAUSE, () -> leave(key, waiter, attempts - 1));
                    }
                });
    }

    /**
     * Subscribes again for a slot that has moved to a server which is connected already: its channels did not move
     * along.
     */
    private void subscribe(int slot) {
        for (String key : hints.keys()) {
            if (masters.slot(key) == slot) {
                subscribe(key);
            }
        }
    }

    private LeaseNode node(RedisServer server, LeaseConnector connector) {
        return new LeaseNode(
                server,
                connector,
                LeaseLink.SLOW,
                List.of(
                        LeaseScript.REDISSON_ACQUIRE,
                        LeaseScript.REDISSON_RENEW,
                        LeaseScript.REDISSON_RELEASE,
                        LeaseScript.REDISSON_LEAVE),
                (channel, message) -> hints.keys().stream()
                        .filter(key -> channel.equals(channel(key))
                                || channel.equals(ownChannel(key, waiters.getOrDefault(key, ""))))
                        .forEach(hints::hint),
                link -> greet(server, link));
    }

    /**
     * A store with connections of its own. Nothing is sent yet.
     *
     * @param uri where the servers are
     * @return the store, owned by the caller
     * @throws IllegalArgumentException if the URI is wrong, saying which part and why
     */
    public static RedissonLeaseStore of(StoreUri uri) {
        return new RedissonLeaseStore(LeasePlace.of(uri), new LeaseConnector());
    }

    /** Subscribes a new connection to the channels of the keys at its server: a channel is in the slot of its lock. */
    private CompletionStage<?> greet(RedisServer server, LeaseLink link) {
        for (String key : hints.keys()) {
            if (masters.isHome(server, key)) {
                subscribe(key, link);
                hints.hint(key); // nobody here has been told of a release meanwhile
            }
        }
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<Optional<Lease>> tryAcquire(LeaseRequest request) {
        String key = place.prefix() + request.name();
        String waiter = waiters.get(key);
        if (waiter != null) {
            queued.add(waiter);
        }
        Lease lease =
                new Lease(request.name(), request.owner(), OptionalLong.empty(), LeaseTimes.validity(request.ttl()));
        CompletableFuture<Boolean> acquired = run(
                LeaseScript.REDISSON_ACQUIRE,
                keys(key),
                field(request.owner()),
                LeaseTimes.millis(request.ttl()),
                channel(key),
                publish(),
                waiter == null ? field(process) : waiter,
                waiter == null ? "0" : "1",
                LeaseTimes.millis(place.fairLockWait()));
        return Stages.map(acquired, his -> {
            if (waiter != null) {
                settle(key, waiter, his);
            }
            return his ? Optional.of(lease) : Optional.empty();
        });
    }

    /**
     * A request for the lock was answered that was made as a waiter. Other threads of this process may have asked at
     * the same time, or have ceased to wait.
     */
    private void settle(String key, String waiter, boolean his) {
        if (his) {
            queued.remove(waiter);
            return;
        }
        queued.add(waiter);
        if (!waiter.equals(waiters.get(key))) {
            leave(key, waiter);
        }
    }

    @Override
    public CompletionStage<Boolean> renew(Lease lease, Duration ttl) {
        String key = place.prefix() + lease.name();
        return run(LeaseScript.REDISSON_RENEW, List.of(key), field(lease.owner()), LeaseTimes.millis(ttl));
    }

    @Override
    public CompletionStage<Boolean> release(Lease lease) {
        String key = place.prefix() + lease.name();
        return run(LeaseScript.REDISSON_RELEASE, keys(key), field(lease.owner()), channel(key), publish());
    }

    private CompletableFuture<Boolean> run(LeaseScript script, List<String> keys, String... arguments) {
        if (place.cluster()
                && keys.stream().mapToInt(SlotHash::getSlot).distinct().count() > 1) {
            String name = keys.get(0).substring(place.prefix().length());
            return CompletableFuture.failedFuture(new IllegalArgumentException(
                    "lock '" + name + "': on a Cluster a key with a brace must have a hash tag, as in {a}b"));
        }
        return Stages.map(masters.run(script, keys, List.of(arguments)), answer -> answer.equals(List.of(1L)));
    }

    private String publish() {
        return place.cluster() ? "SPUBLISH" : "PUBLISH";
    }

    private static List<String> keys(String key) {
        return List.of(key, beside(QUEUE, key), beside(PATIENCE, key));
    }

    /** The owner as the name of a thread of a Redisson client. */
    static String field(String owner) {
        return owner + ":1";
    }

    /** The channel on which Redisson tells of the release of a lock. */
    static String channel(String key) {
        return beside(CHANNEL, key);
    }

    private static String ownChannel(String key, String waiter) {
        return channel(key) + ":" + waiter;
    }

    /** The name of a queue, a set or a channel of a lock: the braces put it in the slot of the key. */
    private static String beside(String kind, String key) {
        return kind + (key.indexOf('{') < 0 ? "{" + key + "}" : key);
    }

    @Override
    public Registration onRelease(String name, Runnable hint) {
        return hints.add(place.prefix() + name, hint);
    }

    @Override
    public String address() {
        return masters.address();
    }

    @Override
    public String toString() {
        return "RedissonLeaseStore[" + address() + "]";
    }

    /** Ends the connections; leases that were not released end by the server's clock. */
    @Override
    public void close() {
        masters.close();
    }
}
