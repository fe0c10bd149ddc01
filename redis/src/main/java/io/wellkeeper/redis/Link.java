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
 * What a session has to do with the server that is in charge of it, whichever that is: its requests and their answers,
 * the messages to it, and how it fares.
 *
 * <p>When the connection is lost, or the server says that another is in charge, a connection is made to whoever is in
 * charge by then; the channel is listened to again, and what has not been answered is sent again, in order. Whatever was
 * published meanwhile is lost, which is said by {@code reconnected}. A server that refuses another connection is asked again
 * for as long as the session may live; after that the session has ended.
 *
 * <p>A server may refuse what is sent again, and is asked once more then. So those that take tickets of one queue go one by one, and
 * behind the removals before them, until all are answered that may have been carried out, and the first of them ({@link Doubts}). So
 * does whoever asks for the notice of a queue, which is never older than what was seen of the queue. And what was carried out although
 * one before it was refused, as the server knew only the script of the other, is done again: another ticket is drawn.
 *
 * <p>No more requests are under way than fit the {@link Window}; the others wait for their turn, in a {@link RequestLine}. A
 * heartbeat does not wait for its turn.
 *
 * <pre>
 *   LIVE --connection lost--> SUSPECT --listening again--> LIVE
 *     +--- a script says that the session has ended ---> LOST        CLOSED by its owner
 * </pre>
 */
final class Link implements Wire.User {

    private static final Duration RETRY = Duration.ofMillis(50);
    private static final int NARROWEST = 2; // requests under way
    private static final int SLOW = 8; // an answer that takes longer than this part of the session's timeout

    /** To the server in charge. */
    interface Route {

        /**
         * @param again whether the last connection has turned out to be of no use
         * @return fails with {@link LockStoreException}
         */
        CompletionStage<Wire> wire(boolean again);

        CompletionStage<Void> release(Wire wire);

        /** Ends a connection if another server is in charge by now, also if this one goes on answering. */
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
    private final Set<OpenRequest> given =
            new LinkedHashSet<>(); // those of them that this connection was given, in the order of the first time
    private final RequestLine<OpenRequest> waiting =
            new RequestLine<>(); // those of them that this connection is still to be given
    private final Deque<OpenRequest> unknown =
            new ArrayDeque<>(); // whose scripts this server does not know: to be sent at length

    private final Doubts doubts = new Doubts();
    private final Window window;
    private long calls;
    private @Nullable OpenRequest last; // that was called for, if a take may join it
    private @Nullable Wire wire;
    private volatile long heardAt = System.nanoTime(); // when an answer came last
    private volatile long workedAt = System.nanoTime(); // when something was carried out last
    private volatile int wires; // how many there have been; written under the lock
    private boolean serves; // this connection: something was carried out
    private boolean listening; // by this connection
    private long leftAt; // when the last connection was by which it listened
    private boolean ends; // its end was called for: whoever looked just before whether it was over comes too late
    private boolean gone;

    /**
     * @param timeout of the session
     */
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
     * @param reconnected run when it listens again after the connection was lost
     * @param refused run when another connection has been refused for so long that the session must have ended
     * @return when it listens; fails with {@link LockStoreException} if there is no connection
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
            last = null; // a take that joined it now would come before this one
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
            } else if (open.contains(next)) { // else it was answered by the connection before
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
     * @param carriedOut whether the server did not refuse it
     * @param isUnknown whether the server does not know its script: then what comes later waits until all such are sent again
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
     * Whether it is still the one that is used. One that was left and then taken again, as others use it, has another number: what
     * was sent by it before, and is answered later, has been sent again behind that. The lock is held.
     */
    private boolean isCurrent(int connection) {
        return wire != null && wires == connection;
    }

    /**
     * A request that may have been carried out without an answer stays open until there is one, or the session is over.
     *
     * @param connection the number of the one by which it was sent
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
            by.breakOff(); // it stays open, and is sent again
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
     * Whether it was carried out before something that was called for before and precedes it: that is still open, as the server
     * has refused it, and will be asked again; or it has been since, while the answer to this was lost. Then so it is for this, behind
     * it: the notice is read once more, and another ticket is drawn.
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
                return true; // the ticket is found again by the next connection, behind whatever precedes it
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
            if (isCurrent) { // else the next one is given it anyway
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
     * Whether nobody knows what has become of it, and nothing else was carried out either, for so long that the session must
     * have ended.
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

    /** Behind all that was sent meanwhile: so it says anew what depends on the order. */
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
     * @param ticketNumber of the ticket that it has drawn, or 0
     * @return whether it was open
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

    /** Those that were held back go on, as far as they are not behind others that are in doubt. The lock is held. */
    private void letGo() {
        for (OpenRequest held = doubts.release(); held != null; held = doubts.release()) {
            waiting.putBack(held);
            last = null; // a take that joined it now would come before this one
        }
        if (wire != null) {
            sendWhatFits(wire);
        }
    }

    /** Of a connection that is left, none is heard any more: whoever listens by the next one looks at everything. */
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

    /** Turns to whoever is in charge by now. */
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

    /** The answer of a session that has ended. */
    CompletableFuture<List<Object>> refused() {
        return CompletableFuture.failedFuture(ended(state.get()));
    }

    /** How many connections there have been, so the number of the last: if another comes, what has not been answered may be carried out again. */
    int wires() {
        return wires;
    }

    /** As {@link #run}, also after the end. */
    CompletableFuture<List<Object>> send(Script script, List<String> keys, List<String> arguments) {
        return send(script, keys, () -> arguments);
    }

    /**
     * As {@link #run}, also after the end.
     *
     * @param arguments asked for in the order in which requests are sent, each time that it is sent
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

    /** For how long there has been no answer. */
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
     * @param then what is to be done once the listener has been told, and so those who hold something
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
     * The listener hears nothing more, and no more requests are taken; those under way go on.
     *
     * @return whether the session has been lost
     */
    boolean end() {
        return state.updateAndGet(now -> now == State.LOST ? now : State.CLOSED) == State.LOST;
    }

    /** Also ends the connection, if nobody else uses it. */
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
