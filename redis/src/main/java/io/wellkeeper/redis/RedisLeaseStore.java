package io.wellkeeper.redis;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.LeaseStore;
import io.wellkeeper.spi.StoreUri;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
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
 * its lease. Those who may not have two holders at once check the fencing token where they write.
 *
 * <p><b>Fencing token.</b> The server's clock in microseconds, or one more than the last token if that is larger. The last
 * token is kept in a hash beside the key for a day after its last use. So tokens grow as long as the server's clock is not
 * set back by more than the lock was left alone, also when the server has lost its data. They are given to users of this
 * store only: somebody who locks the same key by a {@code SET NX} of his own has none, so what he writes cannot be told
 * from what is too late, and the order of holders is only told among our own.
 *
 * <p><b>Time.</b> The key lives by the server's clock, which is its wall clock; a lease is relied upon by the client's
 * monotonic clock from the sending of the request, and for a hundredth and 2 ms less. A server's clock that is set forward
 * ends leases early, and their owners learn of it at their next renewal.
 *
 * <p><b>Cost.</b> A free lock takes two requests, of which one is waited for. A store has one connection, and one
 * subscription once somebody has had to wait: a release tells of the lock if somebody was refused since it was acquired.
 * A foreign {@code DEL} tells nobody; then, as after a lost message, a waiter looks again within a second.
 *
 * <p><b>Failure.</b> A request that was under way when the connection was lost fails, and is not sent again by itself.
 *
 * <p>As a URI: {@code redis-simple://user:password@host:6379/database?prefix=&client=name}, and {@code rediss-simple://}
 * for TLS with a check of the host's name. The prefix, none by default, is put in front of every lock's name.
 */
public final class RedisLeaseStore implements LeaseStore {

    private static final String CHANNEL = "wellkeeper:released";

    private final String prefix;
    private final LeaseConnector connector = new LeaseConnector();
    private final LeaseNode node;
    private final ReleaseHints hints = new ReleaseHints();
    private volatile boolean listening; // somebody has had to wait, so every connection listens

    private RedisLeaseStore(RedisServer server, String prefix) {
        this.prefix = prefix;
        this.node = new LeaseNode(
                server,
                connector,
                List.of(LeaseScript.LEASE_ACQUIRE, LeaseScript.LEASE_RENEW, LeaseScript.LEASE_RELEASE),
                (channel, key) -> hints.hint(key),
                this::greet);
    }

    /**
     * A store with a connection of its own. Nothing is sent yet.
     *
     * @param uri where the server is
     * @return the store, owned by the caller
     * @throws IllegalArgumentException if the URI is wrong, saying which part and why
     */
    public static RedisLeaseStore of(StoreUri uri) {
        uri.refuseOtherParametersThan(Set.of("prefix", "client"));
        return new RedisLeaseStore(
                RedisServer.of(uri.without(Set.of("prefix"))),
                uri.parameter("prefix").orElse(""));
    }

    @Override
    public CompletionStage<Optional<Lease>> tryAcquire(LeaseRequest request) {
        return Stages.map(
                node.run(
                        LeaseScript.LEASE_ACQUIRE,
                        keys(request.name()),
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
                node.run(
                        LeaseScript.LEASE_RENEW,
                        keys(lease.name()),
                        List.of(lease.owner(), LeaseTimes.millis(ttl), LeaseTimes.idleMillis(ttl))),
                answer -> answer.equals(List.of(1L)));
    }

    @Override
    public CompletionStage<Boolean> release(Lease lease) {
        return Stages.map(
                node.run(LeaseScript.LEASE_RELEASE, keys(lease.name()), List.of(lease.owner(), CHANNEL)),
                answer -> answer.equals(List.of(1L)));
    }

    @Override
    public Registration onRelease(String name, Runnable hint) {
        Registration registration = hints.add(prefix + name, hint);
        if (!listening) {
            listening = true;
            node.linkIfAny().thenAccept(link -> link.subscribe(CHANNEL));
        }
        return registration;
    }

    private CompletionStage<?> greet(LeaseLink link) {
        if (listening) {
            link.subscribe(CHANNEL);
            hints.hintAll(); // of what was released meanwhile nobody has been told
        }
        return CompletableFuture.completedFuture(null);
    }

    private List<String> keys(String name) {
        String key = prefix + name;
        return List.of(key, beside(key));
    }

    /** What the hash beside a lock's key is called: in the same slot, as far as the key has no braces of its own. */
    static String beside(String key) {
        return "wellkeeper:lease:{" + key + "}";
    }

    @Override
    public String address() {
        return node.address();
    }

    /** Ends the connection; leases that were not released end by the server's clock. */
    @Override
    public void close() {
        node.close().thenRun(connector::close);
    }
}
