package io.wellkeeper.zookeeper;

import io.wellkeeper.LockStoreException;
import io.wellkeeper.Registration;
import io.wellkeeper.spi.SessionListener;
import io.wellkeeper.spi.SessionLostException;
import io.wellkeeper.spi.StoreRefusalException;
import io.wellkeeper.spi.Time;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import java.util.function.ObjIntConsumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.Watcher.WatcherType;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.jspecify.annotations.Nullable;

/**
 * One ZooKeeper session: its raw handle, on which requests go out in the order of the calls, and its state.
 * When the session ends, its link ends too; a new session gets a new link.
 *
 * <p>A request that fails because the connection was lost may simply be sent again: the handle keeps the request until
 * the connection stands again, and fails it at each attempt to connect that fails.
 */
final class Link {

    private static final Duration OPEN_LIMIT = Duration.ofSeconds(5);
    static final Duration PAUSE = Duration.ofMillis(50);
    private static final Duration LAST_PAUSE = Duration.ofSeconds(1);
    private static final CompletableFuture<Integer> CARRIED_OUT = CompletableFuture.completedFuture(Code.OK.intValue());

    private enum State {
        LIVE,
        SUSPECT,
        LOST,
        CLOSED
    }

    private final Site site;
    private final Connection connection;
    private final ZooKeeper zooKeeper;
    private final SessionListener listener;
    private final Duration timeout;
    private final LeaderContact contact;
    private final RequestWindow requests;
    private final Removals removals;
    private final Room room;
    private final Eras eras = new Eras(this);
    private final AtomicReference<State> state = new AtomicReference<>(State.LIVE);
    private volatile CompletableFuture<Integer> caughtUp =
            CARRIED_OUT; // the answer to the latest consent that was requested by catchUp
    private volatile Registration registration = Registration.NONE;
    // The following are written on the event thread.
    private volatile long heardAt; // when the handle last heard from the server
    private volatile long servedAt; // when a server last accepted the session, or answered
    private volatile long deadline; // until then no other session is granted a lock of this session
    private volatile boolean told; // an event was delivered, and no request was answered since
    private volatile boolean behind; // the handle's server may not know yet of an event that was delivered

    /**
     * @param openedAt a moment before the session was last opened or taken up again
     */
    private Link(Site site, Connection connection, ZooKeeper zooKeeper, long openedAt, SessionListener listener) {
        this.site = site;
        this.connection = connection;
        this.zooKeeper = zooKeeper;
        this.listener = listener;
        this.timeout = Duration.ofMillis(zooKeeper.getSessionTimeout());
        this.contact = new LeaderContact(timeout, openedAt);
        this.heardAt = openedAt;
        this.servedAt = System.nanoTime();
        this.deadline = openedAt;
        this.requests = new RequestWindow(zooKeeper, this::heard);
        this.removals = new Removals(requests, Link::after);
        this.room = new Room(site.address(), zooKeeper.getClientConfig());
    }

    /** To be called once, before the link is used. */
    private void watchState() {
        registration = connection.onState(this::changed).orElseGet(() -> StateWatch.set(this, this::changed));
        if (ended()) {
            registration.close();
        }
    }

    /**
     * Waits until the connection stands, for at most the session timeout, and at most {@link #OPEN_LIMIT}.
     *
     * @return fails with {@link LockStoreException} if the connection cannot be used; the connection is closed then
     */
    static CompletionStage<Link> open(Site site, Connection connection, Duration timeout, SessionListener listener) {
        Duration limit = timeout.compareTo(OPEN_LIMIT) < 0 ? timeout : OPEN_LIMIT;
        long begun = System.nanoTime();
        CompletableFuture<Link> result = new CompletableFuture<>();
        result.whenComplete((link, failed) -> {
            if (failed != null) {
                connection.close();
            }
        });
        connection.unknownHosts().thenAccept(unknown -> {
            if (!unknown.isEmpty()) {
                result.completeExceptionally(new StoreRefusalException(
                        "cannot reach ZooKeeper at " + site.address() + ": nobody knows the host " + unknown));
            }
        });
        Registration alarm = Time.later(
                limit,
                () -> result.completeExceptionally(
                        new LockStoreException("cannot reach ZooKeeper at " + site.address() + " within " + limit)));
        result.whenComplete((link, failed) -> alarm.close());
        probe(site, connection, listener, begun, result);
        return result;
    }

    /**
     * @param before a moment when the session was not yet connected
     */
    private static void probe(
            Site site, Connection connection, SessionListener listener, long before, CompletableFuture<Link> result) {
        if (result.isDone()) {
            return;
        }
        connection.zooKeeper().whenComplete((zooKeeper, none) -> {
            if (result.isDone()) {
                return;
            }
            if (zooKeeper != null) {
                probe(zooKeeper, site, connection, listener, before, result);
            } else if (Stages.plain(none) instanceof StoreRefusalException noneEver) {
                result.completeExceptionally(noneEver);
            } else {
                after(PAUSE, () -> probe(site, connection, listener, before, result));
            }
        });
    }

    private static void probe(
            ZooKeeper zooKeeper,
            Site site,
            Connection connection,
            SessionListener listener,
            long before,
            CompletableFuture<Link> result) {
        long sent = System.nanoTime();
        zooKeeper.sync(
                site.root(),
                (code, path, context) -> {
                    if (code == Code.OK.intValue()) {
                        // A connection that was handed in is taken to have been sound until now.
                        Link link = new Link(site, connection, zooKeeper, connection.owned() ? before : sent, listener);
                        link.watchState();
                        link.contact.acknowledged(sent, System.nanoTime());
                        if (!result.complete(link)) {
                            link.close();
                        }
                    } else if (isRefusal(codeOf(code))) {
                        result.completeExceptionally(refusal(site, codeOf(code), "begin a session by", path));
                    } else {
                        after(PAUSE, () -> probe(site, connection, listener, sent, result));
                    }
                },
                null);
    }

    Site site() {
        return site;
    }

    /** First sends the removals that were put off, which go before later requests. No request uses another session. */
    RequestWindow requests() {
        removals.send();
        return requests;
    }

    /** The handle, for requests that must not wait for their turn, and for calls that send no request. */
    ZooKeeper zooKeeper() {
        return zooKeeper;
    }

    /** Whether the handle forgets its watches when the connection is lost, and does not set them again. */
    boolean forgetsWatches() {
        return zooKeeper.getClientConfig().getBoolean(ZKClientConfig.DISABLE_AUTO_WATCH_RESET);
    }

    /** Whether the event says that the connection was lost, and the handle has forgotten its watches with it. */
    boolean forgetsWatches(WatchedEvent event) {
        return event.getState() == KeeperState.Disconnected && forgetsWatches();
    }

    /** The eras, which keep requests from being carried out late. The first call for an era begins one. */
    Eras eras() {
        return eras;
    }

    /** The room that the session has for nodes. */
    Room room() {
        return room;
    }

    /** The removals that are put off. */
    Removals removals() {
        return removals;
    }

    /**
     * Whether this link has ended, and the ZooKeeper session, which belongs to the user, goes on as far as is known.
     */
    boolean isOutlived() {
        return ended() && !owned() && zooKeeper.getState().isAlive();
    }

    /** Whether the ZooKeeper session ends with this link; otherwise it belongs to the user. */
    boolean owned() {
        return connection.owned();
    }

    /** ZooKeeper's own id of the session. */
    long sessionId() {
        return zooKeeper.getSessionId();
    }

    /** The negotiated session timeout. */
    Duration timeout() {
        return timeout;
    }

    boolean ended() {
        State now = state.get();
        return now == State.LOST || now == State.CLOSED;
    }

    /**
     * Sends a request that changes nothing, and that only a majority of the servers can carry out. A read that is sent
     * after it shows every change that had been carried out before, even if the handle is connected to a server that
     * was behind, or to a leader that was deposed and has not noticed.
     *
     * @return an array whose element is the answer, OK or a failure code, once a later read is answered
     */
    int[] consent() {
        int[] answer = {Code.CONNECTIONLOSS.intValue()}; // if an error loses the answer
        consent(code -> answer[0] = code);
        return answer;
    }

    private void consent(IntConsumer answered) {
        requests()
                .multi(
                        List.of(Op.check(site.root(), -1)),
                        (code, path, context, results) -> {
                            if (isCarriedOut(code)) {
                                behind = false;
                                answered.accept(Code.OK.intValue());
                            } else {
                                answered.accept(code);
                            }
                        },
                        null);
    }

    /**
     * The consent that is under way, or a new one: a single consent serves all reads that are sent until it is
     * answered.
     */
    private CompletableFuture<Integer> catchUp() {
        CompletableFuture<Integer> last = caughtUp;
        if (!last.isDone()) {
            return last;
        }
        CompletableFuture<Integer> next = new CompletableFuture<>();
        consent(next::complete);
        caughtUp = next; // only now: a thread that finds it here must send its read after the consent
        return next;
    }

    /**
     * An event is about to be delivered. The handle does not count the event's transaction as seen, so it may reconnect
     * to a server that does not have this transaction yet.
     */
    void tells() {
        told = true;
    }

    /** The connection was lost. May be called for each watch, and for each request that failed with the connection. */
    void lostTouch() {
        behind |= told;
    }

    /**
     * Reads a state that is no older than the events that were delivered before. If the connection was lost after an
     * event, and before any request was answered, the read goes after a consent. If that happens during the read, the
     * read fails: were it sent again here, its answer would be newer than those of the reads that were requested after
     * it.
     */
    <T> CompletionStage<T> upToDate(Supplier<CompletionStage<T>> read) {
        CompletableFuture<Integer> consent = behind ? catchUp() : CARRIED_OUT;
        CompletableFuture<T> result = new CompletableFuture<>();
        read.get().whenComplete((value, failure) -> {
            // The consent is answered before the read. If not, an error has lost the answer, and none comes any more.
            consent.complete(Code.CONNECTIONLOSS.intValue());
            int answer = consent.join();
            if (failure != null) {
                result.completeExceptionally(Stages.plain(failure));
            } else if (answer != Code.OK.intValue()) {
                result.completeExceptionally(failure(answer, "catch up with the others by", site.root()));
            } else if (behind) {
                result.completeExceptionally(
                        new LockStoreException(inVain(site, "read below", site.root()) + "the connection was lost"));
            } else {
                result.complete(value);
            }
        });
        return result;
    }

    /**
     * Runs a task when the last heartbeat of another session, which has ended, is no longer valid. By then every holder
     * of a lock of that session knows from the local clock that the lock is lost.
     */
    static void afterwards(Link ended, Runnable task) {
        after(ended.left(), task);
    }

    /** For how long the last heartbeat is still valid. */
    private Duration left() {
        return Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
    }

    /**
     * Proves that the session lives, and will live for {@link LeaderContact#validity} from now on.
     *
     * @param byMajority whether the proof must hold also if another server becomes the leader. This costs a transaction
     *     of the servers. A session that has no ticket or lease, and takes none, does not need it
     */
    CompletionStage<Void> heartbeat(boolean byMajority) {
        CompletableFuture<Void> result = new CompletableFuture<>();
        long sent = System.nanoTime();
        IntConsumer answered = code -> {
            if (unknown(code)) {
                lostTouch();
            } else {
                served();
            }
            if (code == Code.OK.intValue() || (byMajority && isCarriedOut(code))) {
                recovered();
                prove(sent, result);
            } else {
                if (unknown(code)) {
                    contact.broke(sent);
                }
                result.completeExceptionally(failure(code, "prove that the session lives by", site.root()));
            }
        };
        if (byMajority) {
            zooKeeper.multi(
                    List.of(Op.check(site.root(), -1)), (code, path, context, results) -> answered.accept(code), null);
        } else {
            zooKeeper.sync(site.root(), (code, path, context) -> answered.accept(code), null);
        }
        if (connection.canLeaveServer() && LeaderContact.canReconnectInTime(timeout)) {
            Duration most = LeaderContact.silence(timeout);
            Duration last = most.dividedBy(6); // time to read the answer, if this process was paused
            after(most.minus(last), () -> {
                if (isSilent(sent)) {
                    after(last, () -> {
                        if (isSilent(sent)) {
                            connection.leaveServer();
                        }
                    });
                }
            });
        }
        return result;
    }

    /** Whether the handle is connected, and the server has answered nothing since that moment. */
    private boolean isSilent(long since) {
        return heardAt - since < 0 && zooKeeper.getState().isConnected() && !ended();
    }

    /**
     * A request that only a majority of the servers can carry out has just been answered.
     *
     * @param sent when it was sent
     * @return completes when the session is certain to last for {@link LeaderContact#validity} after {@code sent}
     */
    CompletionStage<Void> prove(long sent) {
        CompletableFuture<Void> result = new CompletableFuture<>();
        prove(sent, result);
        return result;
    }

    private void prove(long sent, CompletableFuture<Void> result) {
        if (contact.acknowledged(sent, System.nanoTime())) {
            proved(sent, Code.OK.intValue(), result);
        } else {
            after(
                    contact.reporting(),
                    () -> zooKeeper.sync(site.root(), (code, path, context) -> proved(sent, code, result), null));
        }
    }

    private void proved(long sent, int code, CompletableFuture<Void> result) {
        int outcome = code == Code.OK.intValue() && isShortened() ? Code.SESSIONEXPIRED.intValue() : code;
        if (outcome == Code.OK.intValue()) {
            long next = sent + LeaderContact.validity(timeout).toNanos();
            deadline = next - deadline > 0 ? next : deadline;
            result.complete(null);
        } else {
            result.completeExceptionally(failure(outcome, "prove that the session lives by", site.root()));
        }
    }

    /**
     * Whether the session got a shorter timeout at a reconnect than at its beginning, from a server with another
     * configuration. Then the servers may end the session before its holders, who rely on the first timeout, know of
     * it. So the session must not be used any more.
     */
    private boolean isShortened() {
        return zooKeeper.getSessionTimeout() < timeout.toMillis();
    }

    private void heard(int code, long sent) {
        if (unknown(code)) {
            lostTouch();
            contact.broke(sent);
        } else {
            served();
            contact.heard(sent, heardAt);
        }
    }

    private void served() {
        heardAt = System.nanoTime();
        servedAt = heardAt;
        told = false;
    }

    /**
     * Whether no server has accepted the session for so long that none will any more. ZooKeeper's client gives a
     * session up by itself if it reaches no server. It does not if all servers turn the session away, as servers do
     * that have come back without transactions which the session has seen.
     */
    private boolean isTurnedAway() {
        return owned() && System.nanoTime() - servedAt > timeout.toNanos() / 2 * 3;
    }

    /** Sends regular heartbeats for as long as the session lasts, so that {@link #prove} succeeds at once. */
    void keepInTouch() {
        if (!ended()) {
            heartbeat(false);
            after(LeaderContact.interval(timeout), this::keepInTouch);
        }
    }

    /**
     * Whether the answer to a request that may change something came from the leader, with the consent of a majority.
     */
    static boolean isCarriedOut(int code) {
        return switch (codeOf(code)) {
            case OK, NONODE, NOAUTH -> true;
            default -> false;
        };
    }

    /** Whether the answer leaves open whether the request was carried out. */
    static boolean unknown(int code) {
        return switch (codeOf(code)) {
            case CONNECTIONLOSS, SESSIONMOVED, OPERATIONTIMEOUT, REQUESTTIMEOUT -> true;
            default -> false;
        };
    }

    /** The pause before a request is repeated: the shortest after a lost answer, and longer after each refusal. */
    static Duration pauseAfter(int code, Duration pause) {
        return unknown(code) ? PAUSE : Durations.twice(pause, LAST_PAUSE);
    }

    /**
     * Whether the same request may get another answer a moment later. Either it is not known whether the request was
     * carried out, or it was not, because the server is overloaded, or has lost contact with the other servers.
     */
    static boolean mayPass(int code) {
        return switch (codeOf(code)) {
            case THROTTLEDOP, NOTREADONLY -> true;
            default -> unknown(code);
        };
    }

    private static Code codeOf(int code) {
        Code known = Code.get(code);
        return known == null ? Code.SYSTEMERROR : known;
    }

    /**
     * Sets the session's state after a failed request, and makes the exception for the caller.
     *
     * @param code ZooKeeper's answer
     * @param doing a verb for the message, such as {@code create}
     * @param path the node of the request
     */
    LockStoreException failure(int code, String doing, String path) {
        Code known = codeOf(code);
        if (unknown(code) && !isTurnedAway()) {
            suspect("the connection was lost");
        } else if (unknown(code) || known == Code.SESSIONEXPIRED || state.get() == State.LOST) {
            lost();
        }
        if (state.get() == State.LOST) {
            return new SessionLostException("the session at " + site.address() + " has ended");
        }
        if (state.get() == State.CLOSED) {
            return new LockStoreException("the session at " + site.address() + " was closed");
        }
        if (isRefusal(known)) {
            return refusal(site, known, doing, path);
        }
        String reason = unknown(code) ? "the connection was lost" : "the server answers " + known;
        return new LockStoreException(inVain(site, doing, path) + reason);
    }

    /** Whether the request will get the same answer however long the client waits. */
    private static boolean isRefusal(Code answer) {
        return switch (answer) {
            case NOAUTH,
                    AUTHFAILED,
                    SESSIONCLOSEDREQUIRESASLAUTH,
                    INVALIDACL,
                    QUOTAEXCEEDED,
                    UNIMPLEMENTED,
                    NOCHILDRENFOREPHEMERALS,
                    EPHEMERALONLOCALSESSION -> true;
            default -> false;
        };
    }

    /**
     * Why a parent node cannot be created, however long the client waits; empty if it can be created, or may be there.
     *
     * @param code ZooKeeper's answer
     */
    Optional<LockStoreException> refusalOfParent(int code, String path) {
        if (code == Code.NONODE.intValue() && path.lastIndexOf('/') == 0) {
            return Optional.of(new StoreRefusalException(
                    inVain(site, "create", path) + "the chroot of the connection that was given does not exist"));
        }
        return isRefusal(codeOf(code)) ? Optional.of(failure(code, "create", path)) : Optional.empty();
    }

    private static StoreRefusalException refusal(Site site, Code answer, String doing, String path) {
        String reason = switch (answer) {
            case NOAUTH -> "the node's access rights (ACL) do not allow it";
            case AUTHFAILED, SESSIONCLOSEDREQUIRESASLAUTH -> "the server refuses the credentials";
            default -> "the server answers " + answer;
        };
        return new StoreRefusalException(inVain(site, doing, path) + reason);
    }

    private static String inVain(Site site, String doing, String path) {
        return "ZooKeeper at " + site.address() + ": cannot " + doing + " " + path + ": ";
    }

    /** Runs a task again after a short pause. Returns false, and runs nothing, if the ZooKeeper session has ended. */
    boolean later(Runnable task) {
        return later(PAUSE, task);
    }

    /** Runs a task after a pause. Returns false, and runs nothing, if the ZooKeeper session has ended. */
    boolean later(Duration pause, Runnable task) {
        if (!zooKeeper.getState().isAlive()) {
            return false;
        }
        after(pause, task);
        return true;
    }

    /**
     * Creates parent nodes. The request that needs them finds out whether they are there.
     *
     * @param nodes outermost first
     * @param answered called with each path and ZooKeeper's answer
     */
    void createParents(List<Site.Node> nodes, ObjIntConsumer<String> answered) {
        for (Site.Node node : nodes) {
            requests()
                    .create(
                            node.path(),
                            new byte[0],
                            site.aclOf(node.path()),
                            node.mode(),
                            (code, path, context, name) -> answered.accept(path, code),
                            null);
        }
    }

    /**
     * Deletes a node of this session. Sends the request again until the answer is known or the session has ended.
     *
     * @return never fails
     */
    CompletionStage<Void> deleteSurely(String path) {
        CompletableFuture<Void> result = new CompletableFuture<>();
        deleteSurely(path, PAUSE, result);
        return result;
    }

    /**
     * @param pause the pause before the request is sent again. It grows while a server refuses the request, and starts
     *     anew when the connection was lost
     */
    private void deleteSurely(String path, Duration pause, CompletableFuture<Void> result) {
        requests()
                .delete(
                        path,
                        -1,
                        (code, p, context) -> {
                            Duration next = pauseAfter(code, pause);
                            boolean repeated = mayPass(code) && later(pause, () -> deleteSurely(path, next, result));
                            if (!repeated) {
                                result.complete(null);
                            }
                        },
                        null);
    }

    /**
     * Deletes all nodes of a queue whose names begin with the prefix; stops when the session has ended.
     *
     * @return never fails
     */
    CompletionStage<Void> deleteSurely(String queue, String prefix) {
        CompletableFuture<Void> result = new CompletableFuture<>();
        int[] consent = consent();
        requests()
                .getChildren(
                        queue,
                        false,
                        (int code, String path, Object context, @Nullable List<String> children) -> {
                            boolean again = mayPass(consent[0]) || mayPass(code);
                            if (!again && children != null) {
                                Stream<String> some = children.stream().filter(child -> child.startsWith(prefix));
                                Stages.pass(Stages.all(some.map(child -> deleteSurely(queue + '/' + child))), result);
                            } else if (!again || !later(() -> Stages.pass(deleteSurely(queue, prefix), result))) {
                                result.complete(null);
                            }
                        },
                        null);
        return result;
    }

    /**
     * Removes all watches of a node. Sends the request again until the answer is known or the session has ended.
     *
     * @param unwanted whether still nobody wants a watch on the node; a watcher that was set meanwhile is told that its
     *     watch was removed, too
     */
    void removeWatches(String path, WatcherType type, BooleanSupplier unwanted) {
        removeWatches(path, type, PAUSE, unwanted);
    }

    /** @param pause as in {@link #deleteSurely(String, Duration, CompletableFuture)} */
    private void removeWatches(String path, WatcherType type, Duration pause, BooleanSupplier unwanted) {
        if (!zooKeeper.getState().isAlive()) {
            return;
        }
        requests()
                .removeAllWatches(
                        path,
                        type,
                        (code, p, context) -> {
                            if (mayPass(code)) {
                                Duration next = pauseAfter(code, pause);
                                later(pause, () -> {
                                    if (unwanted.getAsBoolean()) {
                                        removeWatches(path, type, next, unwanted);
                                    }
                                });
                            }
                        },
                        null);
    }

    private static void after(Duration delay, Runnable task) {
        Time.later(delay, task);
    }

    /** Ends the link; the listener is not called any more. */
    CompletionStage<Void> close() {
        if (state.getAndUpdate(now -> now == State.LOST ? now : State.CLOSED) == State.CLOSED) {
            return CompletableFuture.completedFuture(null);
        }
        registration.close();
        removals.send();
        CompletionStage<Void> ended = owned() ? CompletableFuture.completedFuture(null) : eras.end();
        return connection.close().thenCompose(closed -> ended);
    }

    private void changed(KeeperState now) {
        heardAt = System.nanoTime();
        if (!zooKeeper.getState().isAlive()) { // "now" may be the state of the handle that replaced this one
            lost();
            return;
        }
        switch (now) {
            case Disconnected -> {
                lostTouch();
                suspect("disconnected from " + site.address());
            }
            case SyncConnected -> {
                servedAt = heardAt;
                if (isShortened()) {
                    lost();
                } else {
                    contact.reconnected(connection.connectedSince());
                    recovered();
                }
            }
            case Expired, Closed -> {
                if (connection.owned()) { // otherwise it may be the end of another handle
                    lost();
                }
            }
            default -> {} // includes refused credentials, if the handle goes on without them
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

    private void lost() {
        if (state.getAndUpdate(now -> now == State.CLOSED ? now : State.LOST) != State.LOST
                && state.get() == State.LOST) {
            registration.close();
            listener.lost();
            after(left(), connection::close); // not sooner: perhaps only this ends the session at the servers
        }
    }
}
