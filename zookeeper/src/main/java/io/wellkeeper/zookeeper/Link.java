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
 * One ZooKeeper session: its raw handle, on which requests go out in the order of the calls, and what is known of it.
 * When the session ends, so does this; a new session is a new link.
 *
 * <p>A request that fails because the connection was lost may simply be sent again: the handle keeps it until it is
 * connected, and fails it once for every attempt to connect that fails.
 */
final class Link {

    private static final Duration OPEN_LIMIT = Duration.ofSeconds(5);
    private static final Duration PAUSE = Duration.ofMillis(50);
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
            CARRIED_OUT; // by the consent that was asked for last to read behind
    private volatile Registration registration = Registration.NONE;
    private volatile long heardAt; // when the server was heard of last; written on the event thread
    private volatile long servedAt; // when a server last had the session, or answered; written on the event thread
    private volatile long deadline; // until which nobody else is let in; written on the event thread
    private volatile boolean told; // of an event, and nothing was answered since; written on the event thread
    private volatile boolean behind; // the server may not know of that event; written on the event thread

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
        registration = connection.onState(this::changed);
        if (ended()) {
            registration.close();
        }
    }

    /**
     * Waits until the connection stands, for as long as the session may last, at most {@link #OPEN_LIMIT}.
     *
     * @return fails with {@link LockStoreException}, and then the connection is closed
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
                        // Whoever hands in a connection vouches that it was sound until now.
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

    /** For requests, after all that was put off; never by way of another session. */
    RequestWindow requests() {
        removals.send();
        return requests;
    }

    /** The handle, for what is no request, or must not wait for its turn. */
    ZooKeeper zooKeeper() {
        return zooKeeper;
    }

    /** Whether the handle forgets its watches when the connection is lost, and does not set them again. */
    boolean forgetsWatches() {
        return zooKeeper.getClientConfig().getBoolean(ZKClientConfig.DISABLE_AUTO_WATCH_RESET);
    }

    /** Whether this says that the connection is lost, and the handle forgets its watches with it. */
    boolean forgetsWatches(WatchedEvent event) {
        return event.getState() == KeeperState.Disconnected && forgetsWatches();
    }

    /** What keeps requests from being carried out late; begun by whoever asks for one first. */
    Eras eras() {
        return eras;
    }

    /** What nodes the session may have. */
    Room room() {
        return room;
    }

    /** The removals that are put off. */
    Removals removals() {
        return removals;
    }

    /** Whether the ZooKeeper session goes on, as far as is known, although this has ended: it is somebody else's. */
    boolean isOutlived() {
        return ended() && !owned() && zooKeeper.getState().isAlive();
    }

    /** Whether the ZooKeeper session ends with this; else somebody else uses it. */
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
     * Sends a request that changes nothing, and that only a majority of the servers can carry out: what is read behind it
     * shows all that had been carried out before, also if the handle is connected to a leader that was deposed and has not
     * noticed, or to a server that was behind.
     *
     * @return what holds the answer, OK or a failure, once what is read behind it is answered
     */
    int[] consent() {
        int[] answer = new int[1];
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

    /** A consent that is on its way: as long as it is, one is enough for all who read behind it. */
    private CompletableFuture<Integer> catchUp() {
        CompletableFuture<Integer> last = caughtUp;
        if (!last.isDone()) {
            return last;
        }
        CompletableFuture<Integer> next = new CompletableFuture<>();
        consent(next::complete);
        caughtUp = next; // not sooner: who finds it there sends behind it
        return next;
    }

    /** An event is about to be told. The handle does not count it among what it has seen, so it may go on to a server that is behind. */
    void tells() {
        told = true;
    }

    /** The connection was lost; may be called for each watch, and for each request that has failed with it. */
    void lostTouch() {
        behind |= told;
    }

    /**
     * Reads what is to be no older than the events that were told before: behind a consent, if the connection was lost after one
     * and before anything was answered. It fails if that happened meanwhile: asked again, it would be newer than what was asked
     * for behind it.
     */
    <T> CompletionStage<T> upToDate(Supplier<CompletionStage<T>> read) {
        CompletableFuture<Integer> consent = behind ? catchUp() : CARRIED_OUT;
        CompletableFuture<T> result = new CompletableFuture<>();
        read.get().whenComplete((value, failure) -> {
            int answer = consent.getNow(Code.CONNECTIONLOSS.intValue());
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
     * Does something when the last heartbeat of another session, which has ended, is good no more: whoever held a lock by
     * it knows by then, by the local clock, that it is lost.
     */
    static void afterwards(Link ended, Runnable task) {
        after(ended.left(), task);
    }

    /** For how long the last heartbeat is still good. */
    private Duration left() {
        return Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
    }

    /**
     * Proves that the session lives, and will for {@link LeaderContact#validity} from now on.
     *
     * @param byMajority whether nobody may take the place of this session in that time, whatever becomes of the leader:
     *     costs a transaction of the servers. Who holds nothing, and waits for nothing, does not need it
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
            Duration last = most.dividedBy(6); // to find out, after a pause of this process, that the answer is there
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

    /** Whether the server that this is connected to has answered nothing since then. */
    private boolean isSilent(long since) {
        return heardAt - since < 0 && zooKeeper.getState().isConnected() && !ended();
    }

    /**
     * A request that only a majority of the servers can carry out has just been answered.
     *
     * @param sent when it was sent
     * @return completes when the session is certain to last for {@link LeaderContact#validity} from then on
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
     * Whether a server that is set up otherwise has given the session less time, when it was taken up again, than it had in
     * the beginning. Then the servers may end it before those know who rely on what was agreed: it is of no more use.
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
     * Whether no server has had the session for so long that none will. ZooKeeper's client gives it up by itself if it reaches no
     * server, but not if they all turn it away, as those do that have come back without what it has seen.
     */
    private boolean isTurnedAway() {
        return owned() && System.nanoTime() - servedAt > timeout.toNanos() / 2 * 3;
    }

    /** Lets the leader hear of the session for as long as it lasts, so that answers prove enough at once. */
    void keepInTouch() {
        if (!ended()) {
            heartbeat(false);
            after(LeaderContact.interval(timeout), this::keepInTouch);
        }
    }

    /** Whether it is the leader's answer, with the consent of a majority, to a request that may change something. */
    static boolean isCarriedOut(int code) {
        return switch (codeOf(code)) {
            case OK, NONODE, NOAUTH -> true;
            default -> false;
        };
    }

    /** Whether the answer leaves open if the request was carried out. */
    static boolean unknown(int code) {
        return switch (codeOf(code)) {
            case CONNECTIONLOSS, SESSIONMOVED, OPERATIONTIMEOUT, REQUESTTIMEOUT -> true;
            default -> false;
        };
    }

    /**
     * Whether the same request may be answered otherwise a moment later: nobody knows if it was carried out, or it was not,
     * because the server has too much to do, or has lost the others.
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
     * What a failed request means, for the session and for the caller.
     *
     * @param code ZooKeeper's answer
     * @param doing a verb for the message, such as {@code create}
     * @param path of which node
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

    /** Whether no waiting helps. */
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
     * Why a node for others to stand in cannot be created, and will not by waiting; empty if it can, or may be there.
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

    /** Does something again, soon, after the connection was lost; not after the ZooKeeper session has ended. */
    boolean later(Runnable task) {
        return later(PAUSE, task);
    }

    /** Does something after a while; not after the ZooKeeper session has ended. */
    boolean later(Duration pause, Runnable task) {
        if (!zooKeeper.getState().isAlive()) {
            return false;
        }
        after(pause, task);
        return true;
    }

    /**
     * Creates nodes for others to stand in; the request that needs them finds out whether they are there.
     *
     * @param nodes outermost first
     * @param answered told of each path and ZooKeeper's answer
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
     * Deletes a node of this session, again and again until the answer is known or the session has ended.
     *
     * @return never fails
     */
    CompletionStage<Void> deleteSurely(String path) {
        CompletableFuture<Void> result = new CompletableFuture<>();
        deleteSurely(path, PAUSE, result);
        return result;
    }

    /** @param pause before it is asked again; grows as long as a server refuses, and not while there is none */
    private void deleteSurely(String path, Duration pause, CompletableFuture<Void> result) {
        requests()
                .delete(
                        path,
                        -1,
                        (code, p, context) -> {
                            Duration next = unknown(code) ? PAUSE : Durations.twice(pause, LAST_PAUSE);
                            boolean repeated = mayPass(code) && later(pause, () -> deleteSurely(path, next, result));
                            if (!repeated) {
                                result.complete(null);
                            }
                        },
                        null);
    }

    /**
     * Deletes those nodes in a queue of which the name begins so; stops when the session has ended.
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
     * Takes back all watches of a node, again and again until the answer is known or the session has ended.
     *
     * @param unwanted whether nobody wants to be told again; whoever does learns that his watch was taken back, too
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
                                Duration next = unknown(code) ? PAUSE : Durations.twice(pause, LAST_PAUSE);
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

    /** Ends the link; the listener hears nothing more. */
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
        if (!zooKeeper.getState().isAlive()) { // what is told may be the state of the handle that has taken its place
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
                if (connection.owned()) { // else it may be another handle's end
                    lost();
                }
            }
            default -> {} // also credentials that were refused, if the handle goes on without them
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
            after(left(), connection::close); // if the servers have not ended it, nobody is let in who was not expected
        }
    }
}
