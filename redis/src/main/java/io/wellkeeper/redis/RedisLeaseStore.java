package io.wellkeeper.redis;

import io.lettuce.core.cluster.SlotHash;
import io.wellkeeper.Registration;
import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.LeaseStore;
import io.wellkeeper.spi.StoreUri;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The classic lock of Redis: {@code SET name owner NX PX ttl}, with the lock's name as the key and the owner as its value,
 * so that it keeps out, and is kept out by, whatever else locks by {@code SET NX} on the same key. There is no order, and
 * a release wakes everybody who waits, so it suits few waiters; {@link RedisTicketStore} suits any number.
 *
 * <p><b>Guarantees.</b> Acquisition, renewal and release are one script each, which compares the owner; a request that is
 * repeated by the same owner gives the same lease. What Redis forgets is free for others: a server that restarts without
 * its data, or a replica that is promoted without the last writes, lets a second holder in while the first one relies on
 * its lease. A program that may not have two holders at once checks the fencing token where it writes.
 *
 * <p><b>Fencing token.</b> The server's clock in microseconds, or one more than the last token if that is larger. The
 * last token is kept in a hash beside the key for a day after its last use. So tokens grow as long as the server's
 * clock is not set back by more than the lock was left alone, also when the server has lost its data. Only users of
 * this store get tokens: a client that locks the same key by a {@code SET NX} of its own has none, so its writes
 * cannot be told from late ones, and the tokens show the order of the users of this store only.
 *
 * <p><b>Time.</b> The key lives by the server's clock, which is its wall clock; a lease is relied upon by the client's
 * monotonic clock from the sending of the request, and for a hundredth and 2 ms less. A server's clock that is set forward
 * ends leases early, and their owners learn of it at their next renewal.
 *
 * <p><b>Cost.</b> A free lock takes two requests, and the client waits for the answer to one of them. A store has one
 * connection, and one subscription once a client has had to wait: a release publishes a message if a client was refused
 * since the lock was acquired. A foreign {@code DEL} publishes none; then, as after a lost message, a waiter looks
 * again within a second.
 *
 * <p><b>Failure.</b> A request that was under way when the connection was lost fails, and is not sent again by itself.
 * A request that a server refuses because another is in charge by now goes to the other server.
 *
 * <p>As a URI: {@code redis-simple://user:password@host:6379/database?prefix=&client=name}, and {@code rediss-simple://}
 * for TLS with a check of the host's name. The prefix, none by default, is put in front of every lock's name. A master that
 * sentinels choose is {@code redis-simple-sentinel://host:26379,host:26379/name}, with the parameters of
 * {@link RedisTicketStore}; a Cluster is {@code redis-simple-cluster://host:6379,host:6379}, where each lock is in the slot
 * of its key, and a name with a brace must have a hash tag.
 */
public final class RedisLeaseStore implements LeaseStore {

    private static final String CHANNEL = "wellkeeper:released";

    private final LeasePlace place;
    private final LeaseMasters masters;
    private final ReleaseHints hints = new ReleaseHints();
    private volatile boolean listening; // whether every connection listens, because a client has had to wait

    RedisLeaseStore(LeasePlace place, LeaseConnector connector) {
        this.place = place;
        this.masters = new LeaseMasters(place, connector, server -> node(server, connector));
    }

    private LeaseNode node(RedisServer server, LeaseConnector connector) {
        return new LeaseNode(
                server,
                connector,
                LeaseLink.SLOW,
                List.of(LeaseScript.LEASE_ACQUIRE, LeaseScript.LEASE_RENEW, LeaseScript.LEASE_RELEASE),
                (channel, key) -> heard(server, key),
                this::greet);
    }

    /**
     * A store with connections of its own. Nothing is sent yet.
     *
     * @param uri where the servers are
     * @return the store, owned by the caller
     * @throws IllegalArgumentException if the URI is wrong, saying which part and why
     */
    public static RedisLeaseStore of(StoreUri uri) {
        return new RedisLeaseStore(LeasePlace.of(uri), new LeaseConnector());
    }

    @Override
    public CompletionStage<Optional<Lease>> tryAcquire(LeaseRequest request) {
        return Stages.map(
                run(
                        LeaseScript.LEASE_ACQUIRE,
                        request.name(),
                        List.of(
                                request.owner(),
                                LeaseTimes.millis(request.ttl()),
                                request.metadata(),
                                LeaseTimes.idleMillis(request.ttl()))),
                answer -> answer.stream()
                        .findFirst()
                        .map(token -> new Lease(
                                request.name(),
                                request.owner(),
                                OptionalLong.of(Long.parseLong((String) token)),
                                LeaseTimes.validity(request.ttl()))));
    }

    @Override
    public CompletionStage<Boolean> renew(Lease lease, Duration ttl) {
        return Stages.map(
                run(
                        LeaseScript.LEASE_RENEW,
                        lease.name(),
                        List.of(lease.owner(), LeaseTimes.millis(ttl), LeaseTimes.idleMillis(ttl))),
                answer -> answer.equals(List.of(1L)));
    }

    @Override
    public CompletionStage<Boolean> release(Lease lease) {
        return Stages.map(
                run(LeaseScript.LEASE_RELEASE, lease.name(), List.of(lease.owner(), CHANNEL)),
                answer -> answer.equals(List.of(1L)));
    }

    private CompletableFuture<List<Object>> run(LeaseScript script, String name, List<String> arguments) {
        String key = place.prefix() + name;
        String hash = beside(key);
        if (place.cluster() && SlotHash.getSlot(key) != SlotHash.getSlot(hash)) {
            return CompletableFuture.failedFuture(new IllegalArgumentException(
                    "lock '" + name + "': on a Cluster a key with a brace must have a hash tag, as in {a}b"));
        }
        return masters.run(script, List.of(key, hash), arguments);
    }

    @Override
    public Registration onRelease(String name, Runnable hint) {
        Registration registration = hints.add(place.prefix() + name, hint);
        if (!listening) {
            listening = true;
            masters.everywhere(link -> link.subscribe(CHANNEL, false));
        }
        return registration;
    }

    /** In a Cluster every server sends the message; only that of the server in charge of the key counts. */
    private void heard(RedisServer from, String key) {
        if (masters.isHome(from, key)) {
            hints.hint(key);
        }
    }

    private CompletionStage<?> greet(LeaseLink link) {
        if (listening) {
            link.subscribe(CHANNEL, false);
            hints.hintAll(); // no message has told of the locks that were released meanwhile
        }
        return CompletableFuture.completedFuture(null);
    }

    /** The key of the hash beside a lock's key: in the same slot, unless the lock's key has braces and no hash tag. */
    static String beside(String key) {
        return "wellkeeper:lease:" + (key.indexOf('{') < 0 ? "{" + key + "}" : key);
    }

    @Override
    public String address() {
        return masters.address();
    }

    @Override
    public String toString() {
        return "RedisLeaseStore[" + address() + "]";
    }

    /** Ends the connections; leases that were not released end by the server's clock. */
    @Override
    public void close() {
        masters.close();
    }
}
