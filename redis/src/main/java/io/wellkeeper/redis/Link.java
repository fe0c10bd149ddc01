package io.wellkeeper.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.protocol.CommandType;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.RequestLine;
import io.wellkeeper.spi.SessionListener;
import io.wellkeeper.spi.SessionLostException;
import io.wellkeeper.spi.StoreRefusalException;
import io.wellkeeper.spi.Time;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.ObjIntConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The link between a session and the server in charge of it, whichever server that is. It carries the requests of the
 * session and their answers, and the messages to the session, and it keeps the state of the session.
 *
 * <p>When the connection is lost, or the server says that another server is in charge, the link connects to the server
 * that is in charge by then. It listens to the channel again, and sends the requests that have no answer again, in
 * order. The messages that were published meanwhile are lost, which {@code reconnected} tells the session. If
 * connections are refused, the link goes on trying for as long as the session may live; after that the session has
 * ended.
 *
 * <p>A server may refuse a request that is sent again, and is then asked once more. Therefore the requests that take
 * tickets of one queue go one by one, and behind the removals before them, until the requests that may have been
 * carried out are answered, and the first one of the queue too ({@link Doubts}). So do requests for the notice of a
 * queue, as no notice may be older than what was seen of the queue. If the server refused a request but carried out a
 * later one, because it knew the script of the later one only, the later one is carried out again: another ticket is
 * drawn.
 *
 * <p>No more requests are under way than the {@link Window} allows; the others wait for their turn in a
 * {@link RequestLine}. A heartbeat does not wait for its turn.
 *
 * <pre>
 *   LIVE --connection lost--> SUSPECT --listening again--> LIVE
 *     +--- a script says that the session has ended ---> LOST        CLOSED by its owner
 * </pre>
 */
final class Link implements Wire.User {

    private static final Duration RETRY = Duration.ofMillis(50);
    private static final int NARROWEST = 2; // so many requests may be under way however slow the server is
    // An answer is slow if it takes longer than the session's timeout divided by this.
    private static final int SLOW = 8;

    /** Makes connections to the server in charge. */
    interface Route {

        /**
         * @param again whether the last connection was lost or left
         * @return fails with {@link LockStoreException}
         */
        CompletionStage<Wire> wire(boolean again);

        CompletionStage<Void> release(Wire wire);

        /** Ends a connection if another server is in charge by now, even if the old server goes on answering. */
        default void follow(Wire wire) {}

        /** For messages. */
        String address();
    }

    private enum State {
        LIVE,
        SUSPECT,
        LOST,
        CLOSED
    }

    private final Route route;
    private final SessionListener listener;
    private final Duration timeout;
    private final AtomicReference<State> state = new AtomicReference<>(State.LIVE);
    private final CompletableFuture<Void> first = new CompletableFuture<>();
    private volatile String channel = "";
    private volatile ObjIntConsumer<String> messages = (text, connection) -> {};
    private volatile Runnable reconnected = () -> {};
    private volatile Runnable refused = () -> {};
    private final ReentrantLock lock = new ReentrantLock(); // guards the fields below; requests are sent under it
    private final Set<OpenRequest> open = new LinkedHashSet<>(); // in the order of the calls
    // The open requests that were sent by this connection, in the order in which each was sent first.
    private final Set<OpenRequest> given = new LinkedHashSet<>();
    // The open requests that this connection is still to send.
    private final RequestLine<OpenRequest> waiting = new RequestLine<>();
    // The requests whose scripts this server does not know: they are sent again with the text of the script.
    private final Deque<OpenRequest> unknown = new ArrayDeque<>();

    private final Doubts doubts = new Doubts();
    private final Window window;
    private long calls;
    private @Nullable OpenRequest last; // the last that was called for, if a take may still join it
    private @Nullable Wire wire;
    private volatile long heardAt = System.nanoTime(); // when an answer came last
    private volatile long workedAt = System.nanoTime(); // when the server last carried a request out
    private volatile int wires; // how many connections there have been; written under the lock
    private boolean serves; // whether a request was carried out by this connection
    private boolean listening; // whether the channel is listened to by this connection
    private long leftAt; // when the last connection that listened to the channel was left
    // The END script was called for: requests whose caller asked just before whether the session has ended are refused.
    private boolean ends;
    private boolean gone; // after disconnect

    /** @param timeout of the session */
    Link(Route route, SessionListener listener, Duration timeout) {
        this.route = route;
        this.listener = listener;
        this.timeout = timeout;
        this.window = new Window(NARROWEST, timeout.dividedBy(SLOW));
    }

    /**
     * Listens to a channel. To be called once, before anything else.
     *
     * @param messages given each message, in order, on the connection's thread, and the number of that connection
     * @param reconnected run when the link listens again after the connection was lost or left
     * @param refused run when connections or requests have been refused for so long that the session must have ended
     * @return completes when the link listens; fails with {@link LockStoreException} if there is no connection
     */
    CompletionStage<Void> listen(
            String channel, ObjIntConsumer<String> messages, Runnable reconnected, Runnable refused) {
        this.channel = channel;
        this.messages = messages;
        this.reconnected = reconnected;
        this.refused = refused;
        route.wire(false).whenComplete((connected, failure) -> {
            if (failure == null) {
                attach(connected);
            } else {
                first.completeExceptionally(Stages.unwrap(failure));
            }
        });
        return first;
    }

    private void attach(Wire connected) {
        lock.lock();
        try {
            if (!gone) {
                wire = connected;
                wires++;
                serves = false;
                connected.listen(channel, this);
                window.opened();
                given.clear();
                waiting.clear();
                unknown.clear();
                doubts.forgetHeld();
                for (OpenRequest request : List.copyOf(open)) {
                    boolean mayHaveBeenDone = request.isSent() || request.isDoubtful();
                    if (request.goesFirst() && (mayHaveBeenDone || !doubts.precede(request))) {
                        doubts.add(request);
                    }
                    if (request.overtakes()) {
                        send(request, connected);
                    } else {
                        waiting.add(request);
                    }
                }
                sendWhatFits(connected);
                return;
            }
        } finally {
            lock.unlock();
        }
        route.release(connected);
    }

    /** The lock is held. */
    private void send(OpenRequest request, Wire by) {
        send(request, by, CommandType.EVALSHA);
    }

    /** The lock is held. */
    private void send(OpenRequest request, Wire by, CommandType how) {
        if (last != null && last != request && last.isSent()) {
            last = null; // a take that joined the last request now would be carried out before this request
        }
        int connection = wires;
        request.sent(connection);
        given.add(request);
        window.sent();
        by.send(how, request::call, (answer, failure) -> answered(request, by, connection, answer, failure));
    }

    /** The lock is held. */
    private void sendWhatFits(Wire by) {
        while (unknown.isEmpty() && window.hasRoom()) {
            OpenRequest next = waiting.poll();
            if (next == null) {
                return;
            }
            if (next.standsInLine() && doubts.precede(next)) {
                doubts.hold(next);
            } else if (open.contains(next)) { // else its answer came by the connection before
                send(next, by);
            }
        }
    }

    /** The lock is held. */
    private void sendAtLength(Wire by) {
        last = null;
        unknown.forEach(request -> send(request, by, CommandType.EVAL));
        unknown.clear();
    }

    /**
     * @param carriedOut whether the server carried the request out, and did not refuse it
     * @param isUnknown whether the server does not know its script: then later requests wait until all such requests
     *     are sent again
     */
    private void proceed(OpenRequest request, Wire by, int connection, boolean carriedOut, boolean isUnknown) {
        long now = System.nanoTime();
        heardAt = now;
        lock.lock();
        try {
            if (isCurrent(connection)) {
                window.answered(now - request.sentAt());
                serves |= carriedOut;
                if (isUnknown && open.contains(request)) {
                    unknown.add(request);
                }
                if (window.isEmpty() && !unknown.isEmpty()) {
                    sendAtLength(by);
                }
                if (window.isHalfEmpty()) {
                    sendWhatFits(by);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Whether this is the number of the connection in use. A connection that was left and is then used again, because
     * other sessions have kept it, gets a new number: requests sent under the old number, and answered later, have been
     * sent again. The lock is held.
     */
    private boolean isCurrent(int connection) {
        return wire != null && wires == connection;
    }

    /**
     * Handles an answer or a failure. A request that may have been carried out without an answer stays open until it
     * has one, or until the session is over.
     *
     * @param connection the number of the connection by which the request was sent
     */
    private void answered(
            OpenRequest request, Wire by, int connection, @Nullable List<Object> answer, @Nullable Throwable failure) {
        boolean isUnknown = failure instanceof RedisNoScriptException && !request.overtakes();
        if (isUnknown) {
            refused(request, connection);
        }
        if (answer != null || failure instanceof RedisCommandExecutionException) {
            proceed(request, by, connection, answer != null, isUnknown);
        }
        if (isUnknown) {
            return;
        }
        if (answer != null) {
            workedAt = System.nanoTime();
            if (isPremature(request, connection, answer)) {
                request.completeRemoval(answer);
            } else if (settle(request, request.ticketNumber(answer))) {
                request.complete(answer);
            }
        } else if (isOver(request)) {
            refused.run();
        } else if (!(failure instanceof RedisCommandExecutionException refusal)) {
            by.breakOff(); // the request stays open, and the next connection sends it again
        } else {
            boolean doubtful = refused(request, connection);
            if (refusal instanceof RedisNoScriptException) {
                repeat(request, by, connection, CommandType.EVAL);
                return;
            }
            boolean forAnother = Topology.isForAnother(refusal) && (doubtful || !request.begins());
            if (forAnother) {
                String why = "the server at " + by.address() + " is not in charge: " + refusal.getMessage();
                leave(by, connection, why, failure(why));
            } else if (doubtful) {
                later(() -> repeat(request, by, connection, CommandType.EVALSHA));
            } else if (settle(request, 0)) {
                request.fail(failure(refusal));
            }
        }
    }

    /**
     * Whether the request was carried out too early: before an earlier request that has to precede it. The earlier one
     * may still be open, because the server has refused it and is to be asked again; or it was carried out since, while
     * the answer to this one was lost. Then this request is carried out again, behind the earlier one: the notice is
     * read once more, or another ticket is drawn.
     */
    private boolean isPremature(OpenRequest request, int connection, List<Object> answer) {
        boolean draws = request.draws();
        long number = request.ticketNumber(answer);
        if (draws ? number == 0 : !request.readsNotice()) {
            return false;
        }
        lock.lock();
        try {
            boolean isCurrent = isCurrent(connection);
            if (!open.contains(request)) {
                return false;
            }
            if (draws && !isCurrent) {
                return true; // the next connection finds the ticket again, behind the requests that precede this one
            }
            List<OpenRequest> before = (isCurrent ? given : open)
                    .stream()
                            .takeWhile(other -> other != request)
                            .filter(other -> other.keys.equals(request.keys)
                                    && (draws ? other.precedesTake() : other.precedesNotice()))
                            .toList();
            if (before.isEmpty() && number >= request.least) {
                return false;
            }
            if (draws) {
                request.undo(answer);
            }
            request.refused(connection);
            if (isCurrent) { // else the next connection sends it anyway
                before.forEach(doubts::add);
                doubts.hold(request);
                if (before.isEmpty()) {
                    letGo();
                }
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Whether it has been unknown for so long whether the request was carried out, and no other request was carried out
     * either, that the session must have ended.
     */
    private boolean isOver(OpenRequest request) {
        lock.lock();
        try {
            long now = System.nanoTime();
            return request.isDoubtful()
                    && open.contains(request)
                    && Math.min(now - request.doubtfulSince(), now - workedAt) >= timeout.toNanos();
        } finally {
            lock.unlock();
        }
    }

    private boolean refused(OpenRequest request, int connection) {
        lock.lock();
        try {
            request.refused(connection);
            return request.isDoubtful();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Sends a request again, behind all that was sent meanwhile. Its arguments are asked for anew, as some depend on
     * the order.
     */
    private void repeat(OpenRequest request, Wire by, int connection, CommandType how) {
        lock.lock();
        try {
            if (isCurrent(connection) && open.contains(request)) {
                last = null;
                send(request, by, how);
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * @param ticketNumber of the ticket that the request has drawn, or 0
     * @return whether the request was open
     */
    private boolean settle(OpenRequest request, long ticketNumber) {
        lock.lock();
        try {
            if (doubts.end(request, ticketNumber)) {
                letGo();
            }
            given.remove(request);
            return open.remove(request);
        } finally {
            lock.unlock();
        }
    }

    /** Lets the held-back requests go on, except those that are behind another doubtful request. The lock is held. */
    private void letGo() {
        for (OpenRequest held = doubts.release(); held != null; held = doubts.release()) {
            waiting.putBack(held);
            last = null; // a take that joined the last request now would be carried out before this request
        }
        if (wire != null) {
            sendWhatFits(wire);
        }
    }

    /**
     * Ignores the messages of a connection that was left: once the next one listens, the session looks at everything
     * again.
     */
    @Override
    public void message(Wire by, String text) {
        int connection = wires;
        if (wire() == by) {
            messages.accept(text, connection);
        }
    }

    @Override
    public void listening() {
        lock.lock();
        try {
            listening = true;
        } finally {
            lock.unlock();
        }
        if (!first.complete(null)) {
            reconnected.run();
            recovered();
        }
    }

    @Override
    public void broken(Wire broken) {
        leave(broken, "the connection to " + broken.address() + " was lost");
    }

    @Override
    public void refused(Wire deaf, Throwable why) {
        String words = "the server at " + deaf.address() + " lets nobody listen: " + why.getMessage();
        LockStoreException refusal = Refusals.of("Redis at " + route.address() + ": " + words, why);
        if (first.isDone() && refusal instanceof StoreRefusalException && isTimeOver()) {
            refused.run();
        } else {
            leave(deaf, wires, words, refusal);
        }
    }

    private void leave(Wire left, String why) {
        leave(left, wires, why, failure(why));
    }

    private LockStoreException failure(String why) {
        return new LockStoreException("Redis at " + route.address() + ": " + why);
    }

    /** Leaves a connection, and then makes one to the server that is in charge by now. */
    private void leave(Wire left, int connection, String why, LockStoreException failure) {
        lock.lock();
        try {
            if (wire != left || wires != connection) {
                return;
            }
            wire = null;
            window.closed(left.isBroken());
            leftAt = listening ? System.nanoTime() : leftAt;
            listening = false;
        } finally {
            lock.unlock();
        }
        left.forget(channel);
        route.release(left);
        if (first.completeExceptionally(failure)) {
            return;
        }
        suspect(why);
        later(this::connect);
    }

    private static void later(Runnable task) {
        Time.later(RETRY, task);
    }

    private void connect() {
        lock.lock();
        try {
            if (gone) {
                return;
            }
        } finally {
            lock.unlock();
        }
        route.wire(true).whenComplete((connected, failure) -> {
            if (failure == null) {
                attach(connected);
            } else if (Stages.unwrap(failure) instanceof StoreRefusalException && isTimeOver()) {
                refused.run();
            } else {
                later(this::connect);
            }
        });
    }

    private boolean isTimeOver() {
        lock.lock();
        try {
            return System.nanoTime() - leftAt >= timeout.toNanos();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Has a script carried out, once or more often.
     *
     * @return its answer; fails with {@link SessionLostException} or {@link LockStoreException}
     */
    CompletableFuture<List<Object>> run(Script script, List<String> keys, List<String> arguments) {
        return ended() ? refused() : send(script, keys, arguments);
    }

    /** The answer to any request of a session that has ended. */
    CompletableFuture<List<Object>> refused() {
        return CompletableFuture.failedFuture(ended(state.get()));
    }

    /**
     * How many connections there have been, which is the number of the last. When another follows, requests that were
     * not answered may be carried out again.
     */
    int wires() {
        return wires;
    }

    /** As {@link #run}, also after the end of the session. */
    CompletableFuture<List<Object>> send(Script script, List<String> keys, List<String> arguments) {
        return send(script, keys, () -> arguments);
    }

    /**
     * As {@link #run}, also after the end of the session.
     *
     * @param arguments asked for each time that the request is sent, in the order in which requests are sent
     */
    CompletableFuture<List<Object>> send(Script script, List<String> keys, Supplier<List<String>> arguments) {
        return send(new OpenRequest(script, keys, arguments));
    }

    private CompletableFuture<List<Object>> send(OpenRequest request) {
        lock.lock();
        try {
            if (!gone && !ends) {
                ends = request.script == Script.END;
                if (last != null && serves && doubts.isEmpty() && open.contains(last) && last.joins(request)) {
                    return request.result;
                }
                request.number = ++calls;
                open.add(request);
                last = request;
                Wire by = wire;
                if (by != null && !serves && request.goesFirst() && !doubts.precede(request)) {
                    doubts.add(request);
                }
                if (by != null
                        && (request.overtakes() || waiting.isEmpty() && unknown.isEmpty() && window.hasRoom())
                        && (doubts.isEmpty() || !request.standsInLine())) {
                    send(request, by);
                } else if (by != null) {
                    waiting.add(request);
                    if (!doubts.isEmpty()) {
                        sendWhatFits(by);
                    }
                }
                return request.result;
            }
        } finally {
            lock.unlock();
        }
        return refused();
    }

    private LockStoreException failure(RedisCommandExecutionException refusal) {
        State now = state.get();
        if (now == State.LOST || now == State.CLOSED) {
            return ended(now);
        }
        String words = "Redis at " + route.address() + ": the server answers " + refusal.getMessage();
        boolean ofACluster = Refusals.word(String.valueOf(refusal.getMessage())).equals("MOVED");
        return ofACluster && !Keys.isSharded(channel)
                ? new StoreRefusalException(words + ": it belongs to a Cluster, which is redis-cluster://", refusal)
                : Refusals.of(words, refusal);
    }

    private LockStoreException ended(State how) {
        return how == State.LOST
                ? new SessionLostException("the session at " + route.address() + " has ended")
                : new LockStoreException("the session at " + route.address() + " was closed");
    }

    /** Where the server is, for messages. */
    String address() {
        return route.address();
    }

    private @Nullable Wire wire() {
        lock.lock();
        try {
            return wire;
        } finally {
            lock.unlock();
        }
    }

    /** How long ago the last answer came. */
    Duration silence() {
        return Duration.ofNanos(System.nanoTime() - heardAt);
    }

    /** See {@link Route#follow}. */
    void follow() {
        Wire used = wire();
        if (used != null) {
            route.follow(used);
        }
    }

    /** Makes another connection, because this one does not answer. */
    void breakConnection() {
        Wire silent = wire();
        if (silent != null) {
            silent.breakOff();
        }
    }

    private void suspect(String problem) {
        if (state.compareAndSet(State.LIVE, State.SUSPECT)) {
            listener.suspect(problem);
        }
    }

    private void recovered() {
        if (state.compareAndSet(State.SUSPECT, State.LIVE)) {
            listener.live();
        }
    }

    /**
     * The server says that the session has ended.
     *
     * @param then run after the listener, and through it the holders, have been told
     */
    void lost(Runnable then) {
        State before = state.getAndUpdate(now -> now == State.CLOSED ? now : State.LOST);
        if (before == State.LIVE || before == State.SUSPECT) {
            listener.lost();
            then.run();
        }
    }

    boolean ended() {
        State now = state.get();
        return now == State.LOST || now == State.CLOSED;
    }

    /**
     * From now on the listener is told nothing, and {@link #run} refuses requests; those under way go on.
     *
     * @return whether the session has been lost
     */
    boolean end() {
        return state.updateAndGet(now -> now == State.LOST ? now : State.CLOSED) == State.LOST;
    }

    /** Ends the link, and also the connection, if nobody else uses it. */
    CompletionStage<Void> disconnect() {
        end();
        Wire last;
        List<OpenRequest> unanswered;
        lock.lock();
        try {
            gone = true;
            last = wire;
            wire = null;
            unanswered = List.copyOf(open);
            open.clear();
            given.clear();
            waiting.clear();
            doubts.clear();
        } finally {
            lock.unlock();
        }
        unanswered.forEach(request -> request.fail(ended(state.get())));
        if (last == null) {
            return CompletableFuture.completedFuture(null);
        }
        last.forget(channel);
        return route.release(last);
    }
}
