package io.wellkeeper.zookeeper;

import io.wellkeeper.LockStoreException;
import io.wellkeeper.Registration;
import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.LeaseStore;
import io.wellkeeper.spi.SessionListener;
import io.wellkeeper.spi.StoreRefusalException;
import io.wellkeeper.spi.StoreUri;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.apache.curator.framework.CuratorFramework;
import org.jspecify.annotations.Nullable;

/**
 * The simplest lock ZooKeeper can give: one ephemeral node for each lock. The client that creates the node has the
 * lock. There is no order, and a release wakes all waiters, so it suits few waiters; {@link ZooKeeperTicketStore} suits
 * any number.
 *
 * <p>All leases of a store live with one ZooKeeper session. It begins with the first request, and its timeout, which
 * decides when the leases of a dead process end, is the client's, or else the time to live of this request. While the
 * process lives, it ends each lease that was not renewed for its time to live. The fencing token is the node's {@code
 * czxid}.
 *
 * <p><b>Time.</b> With the negotiated session timeout <i>T</i>, a lease is good for <i>T</i>/2 after the request was
 * sent, by the same reckoning as in {@link ZooKeeperTicketStore}: a lease is given and renewed only with the consent of
 * a majority. The session prolongs all leases. So a renewal prolongs nothing on the server: it costs a transaction, and
 * asks whether the node is there. While the session is open, with or without leases, one more request goes out every
 * <i>T</i>/8.
 *
 * <p><b>Release</b> deletes the node only if it was seen to be the lease's own, by owner and session. Between the look
 * and the deletion, the session can lose the node only by its own end, after which the request is refused, or if an
 * administrator deletes the node. A request whose answer was lost is not carried out any more once it, or another, is
 * sent again: each request demands a node of the session, which is replaced before. If the access rights do not allow
 * to create, read and write this node, a stalled thread of the server may carry a request out later.
 *
 * <p>As a URI: {@code zookeeper-simple://host1:2181,host2:2181/chroot}, with user, password and parameters as
 * {@link ZooKeeperTicketStore}.
 */
@SuppressWarnings("exports") // the types of Curator and ZooKeeper are in no module
public final class ZooKeeperLeaseStore implements LeaseStore {

    private static final String KIND = "simple";

    private final Site site;
    private final Function<Duration, Connection> connector;
    private final AtomicReference<@Nullable CompletableFuture<Link>> current = new AtomicReference<>();
    private final Map<String, CompletableFuture<Boolean>> releases = new ConcurrentHashMap<>(); // under way, by owner
    private final Map<String, CompletableFuture<Boolean>> lastReleases =
            new ConcurrentHashMap<>(); // under way, by name
    private final LeaseEnds ends = new LeaseEnds(this::release);
    private final ReleaseHints hints = new ReleaseHints();
    private volatile @Nullable Link last; // the last one that was open
    private volatile @Nullable Duration expected; // the session timeout
    private volatile boolean closed;

    private ZooKeeperLeaseStore(Site site, Function<Duration, Connection> connector) {
        this.site = site;
        this.connector = connector;
    }

    /**
     * A store with a connection of its own. Nothing is sent yet.
     *
     * @param uri where the servers are
     * @return the store, owned by the caller
     * @throws IllegalArgumentException if the URI is wrong, saying which part and why
     */
    public static ZooKeeperLeaseStore of(StoreUri uri) {
        ZooKeeperUri parsed = ZooKeeperUri.of(uri);
        return new ZooKeeperLeaseStore(
                Site.of(parsed.address(), parsed.chroot(), parsed.options(), KIND),
                timeout -> new OwnConnection(parsed, timeout));
    }

    /**
     * A store over a Curator client, which stays the caller's: it must be started, and is never closed here.
     *
     * @param curator the client
     * @param options root and access rights
     * @return the store
     */
    public static ZooKeeperLeaseStore over(CuratorFramework curator, ZooKeeperStoreOptions options) {
        Connection given = Connections.of(curator);
        return new ZooKeeperLeaseStore(Site.of(curator, options, KIND), timeout -> given);
    }

    @Override
    public void expect(Duration timeout) {
        expected = timeout;
    }

    @Override
    public CompletionStage<Optional<Lease>> tryAcquire(LeaseRequest request) {
        Duration timeout = expected;
        return Stages.plain(link(timeout == null ? request.ttl() : timeout)
                .thenCompose(link -> released(request.name())
                        .thenCompose(over -> new LeaseNode(link, request.name(), request.owner())
                                .create(request)
                                .whenComplete((lease, failure) -> answered(request, lease, failure)))));
    }

    /** A release looks before it deletes; a later acquisition must not come between the two. */
    private CompletionStage<Boolean> released(String name) {
        CompletableFuture<Boolean> underWay = lastReleases.get(name);
        return underWay == null ? CompletableFuture.completedFuture(true) : underWay.exceptionally(failure -> false);
    }

    /**
     * If the store was closed meanwhile, its closing missed the lease that was given now, or may have been: ends it
     * here.
     */
    private void answered(LeaseRequest request, @Nullable Optional<Lease> given, @Nullable Throwable failure) {
        if (given != null) {
            given.ifPresent(lease -> ends.begin(lease, request.ttl()));
        } else if (closed && !(failure instanceof StoreRefusalException)) {
            Lease unknown = new Lease(request.name(), request.owner(), OptionalLong.empty(), request.ttl());
            ends.begin(unknown, request.ttl());
        }
        if (closed) {
            ends.endAll();
        }
    }

    @Override
    public CompletionStage<Boolean> renew(Lease lease, Duration ttl) {
        if (!ends.postpone(lease, ttl)) {
            return CompletableFuture.completedFuture(false);
        }
        return Stages.plain(existing()
                .map(link -> link.thenCompose(l -> new LeaseNode(l, lease.name(), lease.owner()).exists(lease)))
                .orElseGet(() -> CompletableFuture.completedFuture(false)));
    }

    @Override
    public CompletionStage<Boolean> release(Lease lease) {
        // Two releases at a time could both see the node, and the second delete a node that was created after the
        // first.
        CompletableFuture<Boolean> mine = new CompletableFuture<>();
        CompletableFuture<Boolean> other = releases.putIfAbsent(lease.owner(), mine);
        if (other != null) {
            return other.thenApply(byThat -> false);
        }
        lastReleases.put(lease.name(), mine);
        Stages.plain(releasing()
                        .map(link -> link.thenCompose(l -> new LeaseNode(l, lease.name(), lease.owner()).delete()))
                        .orElseGet(() -> CompletableFuture.completedFuture(false)))
                .whenComplete((released, failure) -> {
                    releases.remove(lease.owner());
                    lastReleases.remove(lease.name(), mine);
                    if (failure != null) {
                        ends.owe(lease);
                        mine.completeExceptionally(failure);
                    } else {
                        ends.forget(lease);
                        existing().ifPresent(link -> link.thenAccept(this::closeIfNoneIsLeft));
                        mine.complete(released);
                    }
                });
        return mine;
    }

    @Override
    public Registration onRelease(String name, Runnable hint) {
        return hints.add(site.path(name), hint);
    }

    @Override
    public String address() {
        return site.address();
    }

    @Override
    public String toString() {
        return "ZooKeeperLeaseStore[" + address() + "]";
    }

    /**
     * Ends the session and all leases with it; does not wait for it. If its connection was given, the session stays, and
     * each lease is ended by itself, as soon as the servers can be reached.
     */
    @Override
    public void close() {
        closed = true;
        CompletableFuture<Link> link = current.get();
        if (link != null) {
            link.thenAccept(this::end);
        }
    }

    private void end(Link link) {
        if (link.owned()) {
            ends.close();
            link.close();
        } else {
            ends.endAll();
            closeIfNoneIsLeft(link);
        }
    }

    /** Closes the link only when all leases have ended: until then they need the session. */
    private void closeIfNoneIsLeft(Link link) {
        if (closed && ends.areOver()) {
            link.close();
        }
    }

    /** The session that is open; for tests. */
    Optional<Link> currentLink() {
        return existing().map(CompletableFuture::join);
    }

    /** The current session; empty if there is none, or if it has ended, and every lease with it. */
    private Optional<CompletableFuture<Link>> existing() {
        CompletableFuture<Link> link = current.get();
        return link == null || unusable(link) ? Optional.empty() : Optional.of(link);
    }

    /**
     * The link by which a lease can be ended. On a given connection, the ZooKeeper session and the lease outlive the
     * link.
     */
    private Optional<CompletableFuture<Link>> releasing() {
        Optional<CompletableFuture<Link>> existing = existing();
        Link link = last;
        return existing.isEmpty() && link != null && link.isOutlived()
                ? Optional.of(CompletableFuture.completedFuture(link))
                : existing;
    }

    private CompletionStage<Link> link(Duration timeout) {
        while (true) {
            if (closed) {
                return CompletableFuture.failedFuture(
                        new LockStoreException("the store at " + address() + " was closed"));
            }
            CompletableFuture<Link> there = current.get();
            if (there != null && !unusable(there)) {
                return there;
            }
            CompletableFuture<Link> opening = new CompletableFuture<>();
            if (current.compareAndSet(there, opening)) {
                open(timeout, opening);
                return opening;
            }
        }
    }

    private static boolean unusable(CompletableFuture<Link> link) {
        return link.isDone() && (link.isCompletedExceptionally() || link.join().ended());
    }

    private void open(Duration timeout, CompletableFuture<Link> opening) {
        Connection connection;
        try {
            connection = connector.apply(timeout);
        } catch (Throwable failed) { // whatever it is, the next request tries again
            opening.completeExceptionally(failed);
            return;
        }
        Link.open(site, connection, timeout, new Hinting()).whenComplete((link, failure) -> {
            if (failure != null) {
                opening.completeExceptionally(failure);
                return;
            }
            last = link;
            hints.connected(link);
            link.keepInTouch();
            opening.complete(link);
            if (closed) {
                end(link);
            }
        });
    }

    /** When the session has ended, all waiters get a hint. */
    private final class Hinting implements SessionListener {

        @Override
        public void suspect(String problem) {}

        @Override
        public void live() {}

        @Override
        public void lost() {
            hints.hintAll();
        }
    }
}
