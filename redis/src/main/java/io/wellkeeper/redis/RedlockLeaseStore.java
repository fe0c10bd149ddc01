package io.wellkeeper.redis;

import io.wellkeeper.LockStoreException;
import io.wellkeeper.Registration;
import io.wellkeeper.redis.RedlockTally.Vote;
import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.LeaseStore;
import io.wellkeeper.spi.StoreRefusalException;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.spi.Time;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Redlock: a lease is given by a majority of independent Redis servers, none of which replicates another. The lock
 * works while fewer than half of the servers are down, and no failover can forget a lease. There is no order among
 * the waiters.
 *
 * <p><b>What it promises, and what not.</b> While clocks run at about the same speed, nobody else is given the lock
 * before {@link Lease#validity()} is over, counted by the holder's monotonic clock from before the first request was
 * sent. No lease can prevent what a holder does after that, because it was paused, or because its write was slow on the
 * way. The usual remedy is a fencing token, and there is none here: the servers do not know of each other, so no number
 * that they could give is certain to grow from holder to holder. {@link Lease#token()} is empty. A program that has to
 * be safe from late writes needs a store with tokens, or storage that compares before it writes.
 * {@code docs/redis-classic.md} shows the arguments for and against Redlock.
 *
 * <p><b>Time.</b> The validity is the time to live, less what acquiring took, a hundredth, and 2 ms. The keys live by the
 * wall clocks of the servers: a clock that jumps forward ends its server's vote early, and it takes a majority of such
 * jumps to give a lock away.
 *
 * <p><b>A node that was restarted</b> may have forgotten which owner had its vote. It has no vote until it has been up
 * for the {@code restartDelay}, or has been connected to again for as long; therefore no lease may be longer than that.
 * With {@code restartDelay=0s} every node is trusted to write each change to disk before it answers ({@code appendfsync
 * always}).
 *
 * <p><b>A server that has two names</b> in the URI has one vote. Acquisitions are refused if the first contact finds
 * such a server.
 *
 * <p><b>Cost.</b> To acquire or to release, one request is sent to each node, to all at once; an acquisition waits for
 * the answers of the fastest majority. A renewal is the same, and asks nodes that have come back for their vote again.
 * If nobody gets a majority, each gives back the votes that it got, and tries again after a random pause.
 *
 * <p><b>Failure.</b> A node that does not answer within the {@code nodeTimeout}, or within a third of the lease for a
 * renewal if that is longer, does not count. A release that follows goes over the same connection, so that it undoes a
 * vote that was given late. A node that cannot be reached for the release keeps the lock until the time to live is
 * over. If no majority answers, requests fail and say why.
 *
 * <p>As a URI: {@code redlock://user:password@host1:6379,host2:6379,host3:6379/database?prefix=&client=name} with
 * {@code nodeTimeout} (50 ms) and {@code restartDelay} (60 s), and {@code redlocks://} for TLS with a check of the hosts'
 * names.
 */
public final class RedlockLeaseStore implements LeaseStore {

    private static final String CHANNEL = "wellkeeper:released";
    private static final Duration FIRST_CONTACT = Duration.ofSeconds(1);
    private static final int ROUNDS = 6;
    private static final long FIRST_PAUSE_MICROS = 4_000;

    private final RedlockOptions options;
    private final LeaseConnector connector;
    private final List<RedlockNode> nodes;
    private final ReleaseHints hints = new ReleaseHints();
    private final Set<String> renewing = ConcurrentHashMap.newKeySet(); // owners for whom a renewal may still ask votes
    private final AtomicLong sequence = new AtomicLong();
    private final AtomicReference<@Nullable CompletableFuture<Void>> contact = new AtomicReference<>();
    private volatile boolean listening; // whether every connection listens, because a client has had to wait
    private volatile boolean closed;

    RedlockLeaseStore(RedlockOptions options, LeaseConnector connector) {
        this.options = options;
        this.connector = connector;
        ConcurrentMap<String, RedlockNode> runs = new ConcurrentHashMap<>();
        this.nodes = options.servers().stream()
                .map(server -> new RedlockNode(
                        server,
                        connector,
                        options.nodeTimeout(),
                        options.restartDelay(),
                        (channel, key) -> hints.hint(key),
                        this::connected,
                        runs))
                .toList();
    }

    /**
     * A store with one connection of its own to each node. Nothing is sent yet.
     *
     * @param uri where the nodes are
     * @return the store, owned by the caller
     * @throws IllegalArgumentException if the URI is wrong, saying which part and why
     */
    public static RedlockLeaseStore of(StoreUri uri) {
        return new RedlockLeaseStore(RedlockOptions.of(uri), new LeaseConnector());
    }

    private void connected(LeaseLink link) {
        if (listening) {
            link.subscribe(CHANNEL, false);
        }
    }

    @Override
    public CompletionStage<Optional<Lease>> tryAcquire(LeaseRequest request) {
        if (closed) {
            return CompletableFuture.failedFuture(new LockStoreException("the store at " + address() + " was closed"));
        }
        if (isTooLong(request.ttl())) {
            return CompletableFuture.failedFuture(tooLong(request.ttl()));
        }
        return Stages.map(firstContact().thenCompose(reached -> round(request, 1)), Function.identity());
    }

    /** With a longer lease, a restarted node that has forgotten it would have a vote again while the lease is valid. */
    private boolean isTooLong(Duration ttl) {
        return !options.restartDelay().isZero() && ttl.compareTo(options.restartDelay()) > 0;
    }

    private StoreRefusalException tooLong(Duration ttl) {
        return new StoreRefusalException("a lease of " + ttl + " is longer than restartDelay=" + options.restartDelay()
                + ", after which a restarted node has a vote again");
    }

    /**
     * Completes when the first attempt to reach every node has ended or taken too long; later calls get the same result
     * at once. Fails if two of the reached nodes are one server; the next call begins anew then.
     */
    private CompletableFuture<Void> firstContact() {
        CompletableFuture<Void> made = contact.get();
        if (made != null && !made.isCompletedExceptionally()) {
            return made;
        }
        CompletableFuture<Void> reached =
                CompletableFuture.allOf(nodes.stream().map(RedlockNode::connect).toArray(CompletableFuture<?>[]::new));
        CompletableFuture<Void> all = Time.limit(reached, FIRST_CONTACT)
                .handle((ended, late) -> true)
                .thenRun(() -> nodes.forEach(RedlockNode::refuseAnothersServer));
        return contact.compareAndSet(made, all) ? all : firstContact();
    }

    private CompletableFuture<Optional<Lease>> round(LeaseRequest request, int round) {
        String attempt = Long.toString(sequence.incrementAndGet());
        Duration validity = LeaseTimes.validity(request.ttl());
        List<String> arguments = List.of(request.owner(), attempt, LeaseTimes.millis(request.ttl()));
        long sent = System.nanoTime();
        return RedlockTally.of(
                        ask(node -> node.vote(LeaseScript.REDLOCK_ACQUIRE, keys(request.name()), arguments)),
                        tally -> tally.isGranted() || tally.isHopeless())
                .thenCompose(tally -> {
                    if (tally.isGranted() && System.nanoTime() - sent < validity.toNanos()) {
                        return CompletableFuture.completedFuture(Optional.of(
                                new Lease(request.name(), request.owner(), OptionalLong.empty(), validity)));
                    }
                    CompletableFuture<RedlockTally> given =
                            giveBack(request.name(), request.ttl(), List.of(request.owner(), CHANNEL, attempt));
                    if (tally.isAnswered() && !tally.isGranted() && !tally.isTaken() && round < ROUNDS) {
                        return later(FIRST_PAUSE_MICROS << round, () -> round(request, round + 1));
                    }
                    return given.thenApply(nothingIsLeft -> {
                        if (tally.isGranted()) {
                            throw new LockStoreException("Redlock: a majority took longer to vote than the lease of "
                                    + request.ttl() + " would last");
                        }
                        if (!tally.isAnswered()) {
                            throw noMajority(tally);
                        }
                        return Optional.empty();
                    });
                });
    }

    /** Runs a task after a random pause, so that clients that have split the votes do not do so again. */
    private static <T> CompletableFuture<T> later(long mostMicros, Supplier<CompletableFuture<T>> task) {
        long micros = ThreadLocalRandom.current().nextLong(mostMicros / 4, mostMicros);
        CompletableFuture<Void> due = new CompletableFuture<>();
        Time.later(Duration.of(micros, ChronoUnit.MICROS), () -> due.complete(null));
        return due.thenCompose(now -> task.get());
    }

    @Override
    public CompletionStage<Boolean> renew(Lease lease, Duration ttl) {
        if (isTooLong(ttl)) {
            return CompletableFuture.failedFuture(tooLong(ttl));
        }
        return Stages.map(firstContact().thenCompose(reached -> renewNow(lease, ttl)), Function.identity());
    }

    private CompletableFuture<Boolean> renewNow(Lease lease, Duration ttl) {
        String millis = LeaseTimes.millis(ttl);
        Duration validity = LeaseTimes.validity(ttl);
        long sent = System.nanoTime();
        // Before the votes: a release meanwhile takes the owner out, and no vote is asked for again.
        renewing.add(lease.owner());
        Duration patience = ofRenewals(ttl);
        List<CompletableFuture<Vote>> votes = ask(node ->
                node.vote(LeaseScript.REDLOCK_RENEW, keys(lease.name()), List.of(lease.owner(), millis), patience));
        CompletableFuture<Boolean> renewed = RedlockTally.of(votes, tally -> tally.isGranted() || tally.isRefused())
                .thenApply(tally -> {
                    if (tally.isRefused()) {
                        giveBack(lease.name(), lease.validity(), List.of(lease.owner(), CHANNEL));
                        return false;
                    }
                    if (!tally.isGranted() || System.nanoTime() - sent >= validity.toNanos()) {
                        throw noMajority(tally);
                    }
                    return true;
                });
        renewed.whenComplete((granted, failure) -> {
            if (failure == null && granted) {
                voteAgain(lease, millis, votes);
            } else {
                renewing.remove(lease.owner());
            }
        });
        return renewed;
    }

    /**
     * How long a renewal waits for answers, if there is no majority before. Nobody else can have the lock meanwhile,
     * and on a busy machine the answers come late, not least because of other requests.
     */
    private Duration ofRenewals(Duration ttl) {
        Duration third = ttl.dividedBy(3); // after which the next one is sent
        return third.compareTo(options.nodeTimeout()) > 0 ? third : options.nodeTimeout();
    }

    /**
     * Asks the nodes that have given their vote to nobody, because they were down or kept out, to vote for the holder,
     * who has a majority; unless the holder has released the lease meanwhile.
     */
    private void voteAgain(Lease lease, String millis, List<CompletableFuture<Vote>> votes) {
        CompletableFuture<?>[] again = new CompletableFuture<?>[nodes.size()];
        for (int i = 0; i < again.length; i++) {
            RedlockNode node = nodes.get(i);
            again[i] = votes.get(i).thenAccept(vote -> {
                if (vote.isNobodys() && renewing.contains(lease.owner())) {
                    String attempt = Long.toString(sequence.incrementAndGet());
                    node.vote(LeaseScript.REDLOCK_ACQUIRE, keys(lease.name()), List.of(lease.owner(), attempt, millis));
                    if (!renewing.contains(lease.owner())) { // the release may have come first
                        List<String> arguments = List.of(lease.owner(), CHANNEL, attempt);
                        node.tell(LeaseScript.REDLOCK_RELEASE, keys(lease.name()), arguments, lease.validity());
                    }
                }
            });
        }
        CompletableFuture.allOf(again).thenRun(() -> renewing.remove(lease.owner()));
    }

    @Override
    public CompletionStage<Boolean> release(Lease lease) {
        renewing.remove(lease.owner());
        return Stages.map(giveBack(lease.name(), lease.validity(), List.of(lease.owner(), CHANNEL)), tally -> {
            if (!tally.isAnswered()) {
                throw noMajority(tally);
            }
            return tally.yes() > 0;
        });
    }

    /**
     * Releases at every node, whether it has a vote or not. A node that cannot be reached is told later, as long as it
     * may have the key.
     *
     * @return completes when all nodes have answered, or their time to answer is over
     */
    private CompletableFuture<RedlockTally> giveBack(String name, Duration ttl, List<String> arguments) {
        return firstContact()
                .thenCompose(reached -> RedlockTally.of(
                        ask(node -> node.tell(LeaseScript.REDLOCK_RELEASE, keys(name), arguments, ttl)),
                        tally -> false));
    }

    private List<CompletableFuture<Vote>> ask(Function<RedlockNode, CompletableFuture<Vote>> question) {
        return nodes.stream().map(question).toList();
    }

    private LockStoreException noMajority(RedlockTally tally) {
        String message = "Redlock: " + (tally.yes() + tally.no()) + " of " + nodes.size()
                + " nodes answered, which is no majority in time: " + String.join("; ", tally.problems());
        return tally.isForbidden() ? new StoreRefusalException(message) : new LockStoreException(message);
    }

    private List<String> keys(String name) {
        return List.of(options.prefix() + name);
    }

    @Override
    public Registration onRelease(String name, Runnable hint) {
        Registration registration = hints.add(options.prefix() + name, hint);
        if (!listening) {
            listening = true;
            nodes.forEach(node -> node.linkIfAny().thenAccept(link -> link.subscribe(CHANNEL, false)));
        }
        return registration;
    }

    @Override
    public String address() {
        return options.address();
    }

    @Override
    public String toString() {
        return "RedlockLeaseStore[" + address() + "]";
    }

    /** Ends the connections; leases that were not released end by the servers' clocks. */
    @Override
    public void close() {
        closed = true;
        connector.close(
                CompletableFuture.allOf(nodes.stream().map(RedlockNode::close).toArray(CompletableFuture<?>[]::new)));
    }
}
