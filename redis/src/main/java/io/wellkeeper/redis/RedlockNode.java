package io.wellkeeper.redis;

import io.wellkeeper.LockStoreException;
import io.wellkeeper.redis.RedlockTally.Vote;
import io.wellkeeper.spi.StoreRefusalException;
import io.wellkeeper.spi.Time;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One of the servers of a Redlock. The node has a vote while there is a connection to it, and while it cannot have
 * forgotten a lease that a holder still relies upon: a server that was started lately is kept out. If two addresses
 * lead to the same server, only one of them is a node: there is no connection by the other address as long as there is
 * one by the first.
 */
final class RedlockNode {

    private static final Duration CLOCK = Duration.ofSeconds(1); // the unit in which Redis says how long it has been up

    private static final Duration FIRST_PAUSE = Duration.ofMillis(20);
    private static final Duration LAST_PAUSE = Duration.ofSeconds(1);
    private static final int MOST_OWED = 1_000;

    /** Two of the addresses given lead to one server: other servers have to be named. */
    static final class SameServerException extends StoreRefusalException {

        private static final long serialVersionUID = 1L;

        SameServerException(String message) {
            super(message);
        }
    }

    private final LeaseNode node;
    private final Duration patience;
    private final Duration restartDelay;
    private final Consumer<LeaseLink> connected;
    private final ConcurrentMap<String, RedlockNode> runs; // by the id of each server's run, of all nodes
    private volatile @Nullable Throwable problem; // of the last attempt to connect; null if it succeeded, or before it
    private volatile String runId = ""; // of the server of the last connection
    private volatile long votesFrom = System.nanoTime();
    private final AtomicInteger owed = new AtomicInteger(); // requests of tell that the server has not acknowledged
    private volatile boolean closed;

    /**
     * @param patience how long to wait for an answer of the server
     * @param restartDelay for how long after its start the server is kept out
     * @param messages given the channel and the text of each message
     * @param connected given each connection before it is used
     * @param runs of all nodes of one store, to find those that are one server
     */
    RedlockNode(
            RedisServer server,
            LeaseConnector connector,
            Duration patience,
            Duration restartDelay,
            BiConsumer<String, String> messages,
            Consumer<LeaseLink> connected,
            ConcurrentMap<String, RedlockNode> runs) {
        this.node = new LeaseNode(
                server,
                connector,
                patience.dividedBy(2), // less than the patience, so that few requests are given up
                List.of(LeaseScript.REDLOCK_ACQUIRE, LeaseScript.REDLOCK_RENEW, LeaseScript.REDLOCK_RELEASE),
                messages,
                this::greet);
        this.patience = patience;
        this.restartDelay = restartDelay;
        this.connected = connected;
        this.runs = runs;
    }

    String address() {
        return node.address();
    }

    /** Makes the connection, if there is none; never fails. */
    CompletableFuture<Void> connect() {
        return node.link().handle((link, failure) -> {
            problem = failure == null ? null : Stages.unwrap(failure);
            return null;
        });
    }

    /**
     * Fails if the last attempt to connect has found the server of another node.
     *
     * @throws StoreRefusalException if it has found the server of another node
     */
    void refuseAnothersServer() {
        if (problem instanceof SameServerException same) {
            throw same;
        }
    }

    CompletableFuture<LeaseLink> linkIfAny() {
        return node.linkIfAny();
    }

    private CompletionStage<?> greet(LeaseLink link) {
        connected.accept(link);
        CompletableFuture<String> info = link.info("server");
        return restartDelay.isZero() // then the user of the connection need not be allowed to ask for INFO
                ? info.exceptionally(refused -> "").thenAccept(said -> runId = identify(lines(said)))
                : info.thenAccept(said -> learn(lines(said)));
    }

    private static Map<String, String> lines(String info) {
        return info.lines()
                .map(line -> line.split(":", 2))
                .filter(pair -> pair.length == 2)
                .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1].trim(), (one, two) -> one));
    }

    /**
     * Returns the id of the server's run, and registers this node for it; empty if the server does not say it.
     *
     * @throws SameServerException if another node is connected to that server
     */
    private String identify(Map<String, String> info) {
        String run = info.getOrDefault("run_id", "");
        if (!run.isEmpty()) {
            RedlockNode first =
                    runs.compute(run, (same, there) -> there == null || !there.node.isLinked() ? this : there);
            if (first != this) {
                throw new SameServerException("Redis at " + first.address() + " and at " + address()
                        + " is one server, which has one vote: a Redlock takes servers that fail each by itself");
            }
        }
        if (!run.equals(runId)) {
            runs.remove(runId, this);
        }
        return run;
    }

    /**
     * Decides from when on the server has a vote, by how long it has been up and whether it is another run than before.
     */
    private void learn(Map<String, String> info) {
        String run = identify(info);
        String up = info.getOrDefault("uptime_in_seconds", "");
        if (run.isEmpty() || !up.matches("\\d{1,12}")) {
            throw new LockStoreException("Redis at " + address() + " does not say how long it has been up");
        }
        Duration uptime = Duration.ofSeconds(Long.parseLong(up));
        // Another server that has taken the place of the earlier one may have been up while that one still gave its
        // vote.
        boolean isAnother = !runId.isEmpty() && !run.equals(runId);
        Duration wait = isAnother ? restartDelay : restartDelay.plus(CLOCK).minus(uptime);
        long from = System.nanoTime() + Math.max(0, wait.toNanos());
        runId = run;
        votesFrom = from - votesFrom > 0 ? from : votesFrom; // later: it may have been connected to before
    }

    /** Asks for the node's vote; an answer that comes too late does not count. */
    CompletableFuture<Vote> vote(LeaseScript script, List<String> keys, List<String> arguments) {
        return vote(script, keys, arguments, patience);
    }

    /**
     * As {@link #vote(LeaseScript, List, List)}.
     *
     * @param most how long to wait for the answer
     */
    CompletableFuture<Vote> vote(LeaseScript script, List<String> keys, List<String> arguments, Duration most) {
        CompletableFuture<LeaseLink> link = node.linkIfAny();
        if (link.isCompletedExceptionally()) {
            connect();
        }
        long out = votesFrom - System.nanoTime();
        if (out > 0) {
            return CompletableFuture.completedFuture(Vote.none(address() + " has been restarted, and is kept out for "
                    + TimeUnit.NANOSECONDS.toSeconds(out) + " s more"));
        }
        if (!link.isDone() || link.isCompletedExceptionally()) {
            Throwable known = problem;
            return CompletableFuture.completedFuture(
                    known == null ? Vote.none("not connected to Redis at " + address()) : Vote.none(known));
        }
        CompletableFuture<Void> turn = turn(link, most);
        CompletableFuture<List<Object>> request = link.join().run(script, keys, arguments, () -> turn.complete(null));
        request.whenComplete((answer, failure) -> turn.complete(null)); // also if the request never got its turn
        return turn.thenCompose(come -> inTime(request, most));
    }

    /**
     * A future to be completed when a request has its turn; the time for the answer counts from then on. The future is
     * complete already if the node answers no requests at present, so that the time counts at once.
     */
    private static CompletableFuture<Void> turn(CompletableFuture<LeaseLink> link, Duration most) {
        boolean answersOthers = link.isDone()
                && !link.isCompletedExceptionally()
                && !link.join().isSilent(most);
        return answersOthers ? new CompletableFuture<>() : CompletableFuture.completedFuture(null);
    }

    /**
     * As {@link #vote}, also to a node that is kept out. A request that fails is repeated, unless too many others are
     * repeated; its late answer does not count as a vote.
     *
     * @param worth for how long the request is repeated
     */
    CompletableFuture<Vote> tell(LeaseScript script, List<String> keys, List<String> arguments, Duration worth) {
        CompletableFuture<List<Object>> told = new CompletableFuture<>();
        if (owed.incrementAndGet() > MOST_OWED) {
            worth = Duration.ZERO;
        }
        told.whenComplete((answer, failure) -> owed.decrementAndGet());
        long deadline = System.nanoTime() + worth.toNanos();
        CompletableFuture<Void> turn = turn(node.linkIfAny(), patience);
        tell(told, () -> node.run(script, keys, arguments, () -> turn.complete(null)), turn, deadline, FIRST_PAUSE);
        return turn.thenCompose(come -> inTime(told, patience));
    }

    private void tell(
            CompletableFuture<List<Object>> told,
            Supplier<CompletableFuture<List<Object>>> request,
            CompletableFuture<Void> turn,
            long deadline,
            Duration pause) {
        request.get().whenComplete((answer, failure) -> {
            if (failure == null) {
                told.complete(answer);
            } else if (closed || deadline - System.nanoTime() <= 0) {
                told.completeExceptionally(failure);
            } else {
                Duration next = pause.compareTo(LAST_PAUSE) < 0 ? pause.multipliedBy(2) : pause;
                Time.later(pause, () -> tell(told, request, turn, deadline, next));
            }
            turn.complete(null);
        });
    }

    private CompletableFuture<Vote> inTime(CompletableFuture<List<Object>> request, Duration most) {
        return Time.limit(request.copy(), most) // the request itself goes on
                .handle((answer, failure) -> {
                    if (failure == null) {
                        return new Vote(
                                answer.get(0).equals(1L), answer.size() > 1 ? String.valueOf(answer.get(1)) : "");
                    }
                    Throwable cause = Stages.unwrap(failure);
                    if (cause instanceof LeaseLink.NotKnown) {
                        return new Vote(false, ""); // it is asked again, with the script, in the next round
                    }
                    return cause instanceof TimeoutException
                            ? Vote.none(address() + " did not answer within " + most.toMillis() + " ms")
                            : Vote.none(cause);
                });
    }

    /** As {@link LeaseNode#close}. */
    CompletableFuture<Void> close() {
        closed = true;
        return node.close();
    }
}
