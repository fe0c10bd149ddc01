package io.wellkeeper.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.protocol.CommandType;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.RequestLine;
import io.wellkeeper.spi.SessionListener;
import io.wellkeeper.spi.SessionLostException;
import io.wellkeeper.spi.StoreRefusalException;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.Time;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
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
 * for as long as the session may live; after that the session has ended. As the server may refuse what is sent again, which is
 * sent once more then, those that take tickets of one queue go one by one, and behind the removals before them, until all are
 * answered that may have been carried out, and the first of them.
 * So does whoever asks for its notice, which is never older than what was seen of the queue. And what was carried out although one
 * before it was refused, as the server knew only the script of the other, is done again: another ticket is drawn.
 *
 * <p>No more than a certain number of requests are under way; the others wait for their turn, in a {@link RequestLine}. A
 * server answers a connection in the order of its requests, so a heartbeat, which does not wait for its turn, waits for
 * the answers to those under way and to no others, however many locks are asked for at once. If answers take long, because
 * the server is slow or because it is asked for much, as by thousands who wait for one lock, fewer are under way. So it is
 * after a connection that was lost while many were: a server hangs up on those to whom it has more to say than it may keep for
 * them, and would do so again.
 *
 * <pre>
 *   LIVE --connection lost--> SUSPECT --listening again--> LIVE
 *     +--- a script says that the session has ended ---> LOST        CLOSED by its owner
 * </pre>
 */
final class Link implements Wire.User {

    private static final Duration RETRY = Duration.ofMillis(50);
    private static final int WIDEST = 128; // how many requests are under way: so many keep a server busy
    private static final int NARROWEST = 2;
    private static final int CALM =
            1_000; // after so many answers by one connection, twice as many may be under way again
    private static final int SLOW = 8; // what takes longer than this part of the session's timeout
    private static final int COMMON_ARGUMENTS = 3; // of all scripts on queues: who asks, the channels, the name

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

    /**
     * A request that has not been answered. As long as it has not been written, another one may get in: then they are one
     * call, of the other's script, which carries out this one first.
     */
    private static final class Open implements RequestLine.Request {
        final Script script;
        final List<String> keys;
        final Supplier<List<String>> arguments;
        final CompletableFuture<List<Object>> result = new CompletableFuture<>();
        final AtomicReference<@Nullable Open> seat =
                new AtomicReference<>(); // who got in; itself once nobody can any more

        @Nullable
        List<String> said; // written under the lock, each time that it is sent

        long number; // the place among all that were called for; set before it is open, under the lock
        List<String> undone = List.of(); // the ticket that was drawn too early, and its number; written as what is said
        long least; // a ticket of a smaller number is older than that of a call before this one; guarded by the lock
        int by; // the number of the connection by which it was sent last and not refused; guarded by the lock
        long sentAt; // guarded by the lock
        boolean doubtful; // whether it may have been carried out without an answer; guarded by the lock
        long doubtfulSince; // guarded by the lock

        Open(Script script, List<String> keys, Supplier<List<String>> arguments) {
            this.script = script;
            this.keys = keys;
            this.arguments = arguments;
        }

        @Override
        public Object lock() {
            return keys;
        }

        /** The end of the session, which is called for last, lets everything pass. */
        @Override
        public boolean isTaking() {
            return script == Script.TAKE || script == Script.NOTICE_OF_TICKET || script == Script.END;
        }

        @Override
        public boolean isSlow() {
            return false;
        }

        @Override
        public long number() {
            return number;
        }

        /** A heartbeat does not wait for its turn. */
        boolean overtakes() {
            return script == Script.RENEW;
        }

        /** Whether it takes a ticket, or has a passenger who does. */
        boolean draws() {
            Open there = seat.get();
            return script == Script.TAKE || there != null && there != this;
        }

        boolean showsQueue() {
            return script == Script.TICKETS || draws();
        }

        /** Whether a number that is asked for afterwards is to be drawn behind it. */
        boolean precedesTake() {
            return script == Script.REMOVE || draws();
        }

        /** Whether others of the same queue are to be carried out behind it. */
        boolean goesFirst() {
            return precedesTake() || showsQueue();
        }

        /** Whether it is carried out behind those that show its queue and were called for before. */
        boolean standsInLine() {
            return readsNotice() || draws();
        }

        boolean readsNotice() {
            return script == Script.NOTICE || script == Script.NOTICE_OF_TICKET;
        }

        /**
         * Whether a notice that is asked for afterwards is to be no older than what is seen by this; or watched, unless the
         * connection was lost meanwhile: then whoever watches is told to look again. The lock is held.
         */
        boolean precedesNotice() {
            return script == Script.HEED && !doubtful || showsQueue();
        }

        /** Until a session has begun, nobody waits here for a server that is not in charge: whoever wants it is told so. */
        boolean begins() {
            return script == Script.OPEN;
        }

        /** The lock is held. */
        boolean takes(Open other) {
            if (script != Script.REMOVE || other.script != Script.TAKE || !keys.equals(other.keys)) {
                return false;
            }
            other.speak();
            return seat.compareAndSet(null, other);
        }

        /** The lock is held. */
        void speak() {
            said = arguments.get();
        }

        /** The lock is held. */
        void sent(int connection) {
            if (by != 0 && !doubtful) {
                doubtful = true;
                doubtfulSince = System.nanoTime();
            }
            sentAt = System.nanoTime();
            by = connection;
        }

        /** What was sent by the connection of this number was not carried out. The lock is held. */
        void refused(int connection) {
            if (by == connection) {
                by = 0;
            }
        }

        /** Who got in, from now on for good. */
        @Nullable
        Open passenger() {
            seat.compareAndSet(null, this);
            Open there = seat.get();
            return there == this ? null : there;
        }

        Wire.Call call() {
            Open with = passenger();
            Open whose = with == null ? this : with;
            List<String> words = Objects.requireNonNull(said);
            List<String> all = new ArrayList<>(Objects.requireNonNull(whose.said));
            if (!undone.isEmpty()) {
                all.addAll(undone);
            } else if (with != null) {
                all.addAll(words.subList(COMMON_ARGUMENTS, words.size()));
            }
            return new Wire.Call(whose.script, keys, all);
        }

        /** When it is carried out again, the ticket that it has drawn is given back first. The lock is held. */
        void undo(List<Object> answer) {
            String ticket = (String) answer.get(0);
            undone = List.of(ticket, Long.toString(TicketIds.parse(ticket).number()));
        }

        /** What is known of a removal once the take that got in has been carried out, even if that is to be done again. */
        void completeRemoval(List<Object> answer) {
            if (passenger() != null) {
                result.complete(answer.isEmpty() ? List.of(0L) : answer.subList(answer.size() - 1, answer.size()));
            }
        }

        void complete(List<Object> answer) {
            Open with = passenger();
            completeRemoval(answer);
            (with == null ? result : with.result).complete(answer);
        }

        void fail(LockStoreException failure) {
            Open with = passenger();
            result.completeExceptionally(failure);
            if (with != null) {
                with.result.completeExceptionally(failure);
            }
        }
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
    private final Set<Open> open = new LinkedHashSet<>(); // in the order of the calls
    private final Set<Open> given =
            new LinkedHashSet<>(); // those of them that this connection was given, in the order of the first time
    private final RequestLine<Open> waiting =
            new RequestLine<>(); // those of them that this connection is still to be given
    private final Deque<Open> unknown =
            new ArrayDeque<>(); // whose scripts this server does not know: to be sent at length

    /**
     * By queue, in the order of the calls, those that go first, or precede a notice, and were given to an earlier connection too or
     * refused; and the first of each queue that is given to another connection, before that has carried out something, as that
     * server may be about to refuse it.
     */
    private final Map<List<String>, NavigableSet<Open>> inDoubt = new HashMap<>(); // none of these is empty

    private final Deque<Open> held = new ArrayDeque<>(); // that stand in line behind those of the same queues
    private long calls;
    private @Nullable Open last; // that was called for, if it may take another in
    private @Nullable Wire wire;
    private int underWay; // requests that this connection was given, and that have not been answered
    private int window = WIDEST; // how many may be
    private int ceiling = WIDEST; // of that
    private int calm; // answers since a connection was lost
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
                underWay = 0;
                given.clear();
                waiting.clear();
                unknown.clear();
                held.clear();
                for (Open request : List.copyOf(open)) {
                    boolean mayHaveBeenDone = request.by != 0 || request.doubtful;
                    if (request.goesFirst() && (mayHaveBeenDone || !isBehindOneInDoubt(request))) {
                        doubt(request);
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
    private void send(Open request, Wire by) {
        send(request, by, CommandType.EVALSHA);
    }

    /** The lock is held. */
    private void send(Open request, Wire by, CommandType how) {
        request.speak();
        Open with = request.seat.get();
        if (with != null && with != request) {
            with.speak();
        }
        if (last != null && last != request && last.by != 0) {
            last = null; // who would get in there now would come before this one
        }
        int connection = wires;
        request.sent(connection);
        given.add(request);
        underWay++;
        by.send(how, request::call, (answer, failure) -> answered(request, by, connection, answer, failure));
    }

    /** The lock is held. */
    private void sendWhatFits(Wire by) {
        while (unknown.isEmpty() && underWay < window) {
            Open next = waiting.poll();
            if (next == null) {
                return;
            }
            if (next.standsInLine() && isBehindOneInDoubt(next)) {
                held.add(next);
            } else if (open.contains(next)) { // else it was answered by the connection before
                send(next, by);
            }
        }
    }

    /** Whether it would come first if the server refused the one before it, and then no longer. The lock is held. */
    private boolean isBehindOneInDoubt(Open request) {
        NavigableSet<Open> those = inDoubt.get(request.keys);
        return those != null
                && those.headSet(request).stream().anyMatch(other -> other.precedesTake() || !request.draws());
    }

    /** The lock is held. */
    private void doubt(Open request) {
        inDoubt.computeIfAbsent(request.keys, unused -> new TreeSet<>(Comparator.comparingLong(Open::number)))
                .add(request);
    }

    /** Of those behind it, some may have drawn a smaller number. The lock is held; {@return whether there was any doubt} */
    private boolean endDoubt(Open request, long number) {
        NavigableSet<Open> those = inDoubt.get(request.keys);
        if (those == null || !those.remove(request)) {
            return false;
        }
        those.tailSet(request).forEach(other -> other.least = Math.max(other.least, number));
        if (those.isEmpty()) {
            inDoubt.remove(request.keys);
        }
        return true;
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
    private void proceed(Open request, Wire by, int connection, boolean carriedOut, boolean isUnknown) {
        long now = System.nanoTime();
        heardAt = now;
        lock.lock();
        try {
            if (isCurrent(connection)) {
                underWay--;
                serves |= carriedOut;
                if (isUnknown && open.contains(request)) {
                    unknown.add(request);
                }
                if (underWay == 0 && !unknown.isEmpty()) {
                    sendAtLength(by);
                }
                boolean slow = now - request.sentAt > timeout.toNanos() / SLOW;
                if (++calm % CALM == 0) {
                    ceiling = Math.min(WIDEST, ceiling * 2);
                }
                window = slow ? Math.max(NARROWEST, window / 2) : Math.min(ceiling, window + 1);
                if (underWay <= window / 2) { // many at once, which costs less
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
            Open request, Wire by, int connection, @Nullable List<Object> answer, @Nullable Throwable failure) {
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
            } else if (settle(request, number(request, answer))) {
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
    private boolean isPremature(Open request, int connection, List<Object> answer) {
        boolean draws = request.draws();
        long number = number(request, answer);
        if (draws ? number == 0 : !request.readsNotice()) {
            return false;
        }
        lock.lock();
        try {
            boolean isCurrent = isCurrent(connection);
            if (!open.contains(request) || draws && !isCurrent) {
                return false; // what has been drawn by another connection stays
            }
            List<Open> before = (isCurrent ? given : open)
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
                before.forEach(this::doubt);
                held.add(request);
                if (before.isEmpty()) {
                    letGo();
                }
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Of the ticket that was drawn; 0 if there is none, as nobody has asked for it, the session has ended, or it came late. */
    private static long number(Open request, List<Object> answer) {
        return request.draws() && !answer.isEmpty()
                ? TicketIds.read((String) answer.get(0)).map(Ticket::number).orElse(0L)
                : 0;
    }

    /**
     * Whether nobody knows what has become of it, and nothing else was carried out either, for so long that the session must
     * have ended.
     */
    private boolean isOver(Open request) {
        lock.lock();
        try {
            long now = System.nanoTime();
            return request.doubtful
                    && open.contains(request)
                    && Math.min(now - request.doubtfulSince, now - workedAt) >= timeout.toNanos();
        } finally {
            lock.unlock();
        }
    }

    private boolean refused(Open request, int connection) {
        lock.lock();
        try {
            request.refused(connection);
            return request.doubtful;
        } finally {
            lock.unlock();
        }
    }

    /** Behind all that was sent meanwhile: so it says anew what depends on the order. */
    private void repeat(Open request, Wire by, int connection, CommandType how) {
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
     * @param number of the ticket that it has drawn, or 0
     * @return whether it was open
     */
    private boolean settle(Open request, long number) {
        lock.lock();
        try {
            if (endDoubt(request, number)) {
                letGo();
            }
            given.remove(request);
            return open.remove(request);
        } finally {
            lock.unlock();
        }
    }

    /** Those that are held, as far as they are not behind others that are in doubt. The lock is held. */
    private void letGo() {
        while (!held.isEmpty()) {
            waiting.putBack(held.removeLast());
            last = null; // who would get in there now would come before these
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
            if (left.isBroken() && underWay > window / 2) {
                ceiling = Math.max(NARROWEST, ceiling / 2);
                window = Math.min(window, ceiling);
            }
            calm = 0;
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
        return send(new Open(script, keys, arguments));
    }

    private CompletableFuture<List<Object>> send(Open request) {
        lock.lock();
        try {
            if (!gone && !ends) {
                ends = request.script == Script.END;
                if (last != null && serves && inDoubt.isEmpty() && open.contains(last) && last.takes(request)) {
                    return request.result;
                }
                request.number = ++calls;
                open.add(request);
                last = request;
                Wire by = wire;
                if (by != null && !serves && request.goesFirst() && !isBehindOneInDoubt(request)) {
                    doubt(request);
                }
                if (by != null
                        && (request.overtakes() || waiting.isEmpty() && unknown.isEmpty() && underWay < window)
                        && (inDoubt.isEmpty() || !request.standsInLine())) {
                    send(request, by);
                } else if (by != null) {
                    waiting.add(request);
                    if (!inDoubt.isEmpty()) {
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
        List<Open> unanswered;
        lock.lock();
        try {
            gone = true;
            last = wire;
            wire = null;
            unanswered = List.copyOf(open);
            open.clear();
            given.clear();
            waiting.clear();
            held.clear();
            inDoubt.clear();
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
