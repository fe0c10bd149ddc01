package io.wellkeeper.zookeeper;

import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.SessionLostException;
import io.wellkeeper.spi.TicketQueue;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.zookeeper.CreateMode;
import org.jspecify.annotations.Nullable;

/**
 * A session of the SPI over one ZooKeeper session. Two SPI sessions may share a ZooKeeper session, so each has its own
 * id.
 */
final class ZooKeeperSession implements Session {

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int KNOWN_LIMIT = 10_000;
    private static final long KNOWN_NANOS = Duration.ofSeconds(30).toNanos();

    private final String id = Long.toString(RANDOM.nextLong() >>> 8, 36); // short: it is in the path of each ticket
    private final Link link;
    private final boolean owned;
    private final Duration asked;
    private final DepartureWatches departures;
    private final NoticeWatches notices;
    private final Map<String, OwnTicket> ownTickets = new ConcurrentHashMap<>(); // by path
    private final Map<CompletableFuture<Place>, String> taking = new ConcurrentHashMap<>(); // takes under way: to queue
    private final Set<ZooKeeperSession> followed = ConcurrentHashMap.newKeySet(); // their tickets may still be there
    private final TakeOrder order = new TakeOrder();
    private final Set<String> inDoubt = ConcurrentHashMap.newKeySet(); // paths of the nodes that say "request is over"
    private volatile boolean expectsUnknownQueues;
    private volatile Sent lastRemoval = new Sent("", 0);
    private final Map<String, Long> knownParents = new ConcurrentHashMap<>(); // when each was last seen

    /**
     * A living ticket of this session.
     *
     * @param data the data of its node
     * @param patience how long its removal may be put off, in case this session takes another ticket meanwhile
     * @param sole its token, if it was seen to be alone in its queue, and the last to come
     */
    record OwnTicket(byte[] data, Duration patience, OptionalLong sole) {}

    private record Sent(String queue, long nanos) {}

    /**
     * @param asked the session timeout that was asked for
     */
    ZooKeeperSession(Link link, boolean owned, Duration asked) {
        this.link = link;
        this.owned = owned;
        this.asked = asked;
        this.departures = new DepartureWatches(link);
        this.notices = new NoticeWatches(link);
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public Duration validity() {
        return LeaderContact.validity(link.timeout());
    }

    @Override
    public Duration heartbeatInterval() {
        return LeaderContact.interval(link.timeout());
    }

    @Override
    public CompletionStage<Void> heartbeat() {
        return link.heartbeat(!taking.isEmpty() || !ownTickets.isEmpty());
    }

    /**
     * The session timeout of a connection that was handed in is the one that its owner has negotiated with the servers.
     */
    @Override
    public CompletionStage<List<String>> warnings() {
        Duration granted = link.timeout();
        if (granted.equals(asked)) {
            return CompletableFuture.completedFuture(List.of());
        }
        String effect = granted.compareTo(asked) < 0
                ? "holders that are paused or cut off lose their locks sooner"
                : "locks of processes that have died stay longer";
        return CompletableFuture.completedFuture(
                List.of("the servers grant a session timeout of " + granted.toMillis() + " ms where " + asked.toMillis()
                        + " ms were asked for, so " + effect
                        + "; set the servers' minSessionTimeout and maxSessionTimeout, or ask for what they grant"));
    }

    @Override
    public TicketQueue queue(String name) {
        return new ZooKeeperQueue(this, link.site().path(name));
    }

    /**
     * A take begins. From now on heartbeats need the consent of a majority.
     *
     * @param size the room that the ticket takes
     * @param anew gives the ticket back, and sends the take again
     * @return the turn that sends the take, in the order of the calls
     * @throws LockStoreException if the session has no room for it
     */
    TakeOrder.Turn takes(String queue, int size, CompletableFuture<Place> place, Runnable anew) {
        link.room().enter(place, size);
        taking.put(place, queue);
        TakeOrder.Turn turn = order.new Turn(queue, () -> knows(queue), anew);
        place.whenComplete((taken, failure) -> {
            if (!(failure instanceof SessionLostException)) { // otherwise there may be a ticket
                taking.remove(place);
            }
            link.room().leave(place);
            turn.over();
        });
        return turn;
    }

    /** See {@link TakeOrder#behind}. */
    <T> CompletionStage<T> behindTakes(String queue, Supplier<CompletionStage<T>> question) {
        return order.behind(queue, question);
    }

    @Override
    public CompletionStage<List<String>> names(String prefix) {
        return new NameWalk(link, prefix).run();
    }

    @Override
    public CompletionStage<Void> close() {
        if (owned) {
            return link.close();
        }
        CompletionStage<Void> closed =
                link.close(); // first: a take or removal that is answered from now on deletes its node by itself
        CompletionStage<Void> removed = Stages.all(ownTickets.keySet().stream().map(this::removeForGood));
        departures.close();
        notices.close();
        return closed.thenCombine(removed, (one, other) -> null);
    }

    /** Removes a ticket, and marks its request as over if another ticket of that request may come late. */
    private CompletionStage<Void> removeForGood(String path) {
        CompletionStage<Void> removed = link.deleteSurely(path);
        String over = TicketNodes.overPath(path);
        if (isInDoubt(over)) {
            saysOver(over);
        }
        return removed;
    }

    /**
     * Removes the tickets of an ended session of the same store, and those which that session was still to remove for
     * sessions before it. The servers may not have ended the session: ZooKeeper's client and Curator give a session up
     * when there was no connection for long.
     */
    void follow(ZooKeeperSession earlier) {
        if (!followed.add(earlier)) {
            return;
        }
        earlier.followed.forEach(this::follow);
        Link.afterwards(earlier.link, () -> {
            Stream<CompletionStage<Void>> tickets =
                    earlier.ownTickets.keySet().stream().map(link::deleteSurely);
            Stream<CompletionStage<Void>> taken = Set.copyOf(earlier.taking.values()).stream()
                    .map(queue -> link.deleteSurely(queue, TicketNodes.prefix(earlier.id)));
            Stages.all(Stream.concat(tickets, taken)).thenRun(() -> {
                if (link.zooKeeper().getState().isAlive()) { // otherwise the deletions were given up
                    followed.remove(earlier);
                }
            });
        });
    }

    Link link() {
        return link;
    }

    DepartureWatches departures() {
        return departures;
    }

    NoticeWatches notices() {
        return notices;
    }

    /**
     * A ticket of this session stands in a queue.
     *
     * @param patience how long its removal may be put off
     * @param sole its token, if it was seen to be alone, and the last to come
     */
    void took(String path, byte[] data, Duration patience, OptionalLong sole) {
        link.room().stay(path, Room.sizeOf(path));
        ownTickets.put(path, new OwnTicket(data, patience, sole));
    }

    /** A ticket of this session stands in a queue, and nothing is known of the other tickets there. */
    void took(String path, byte[] data) {
        took(path, data, Duration.ZERO, OptionalLong.empty());
    }

    /** The data of a ticket's node is about to be changed. */
    void describes(String path, byte[] data) {
        ownTickets.computeIfPresent(path, (unused, old) -> new OwnTicket(data, old.patience(), old.sole()));
    }

    /** The data of the node of a ticket of this session. */
    byte[] dataOf(String path) {
        OwnTicket ticket = ownTickets.get(path);
        return ticket == null ? new byte[0] : ticket.data();
    }

    /**
     * A ticket is about to be removed.
     *
     * @return the ticket's record; null if it was no living ticket of this session
     */
    @Nullable
    OwnTicket gives(String path) {
        OwnTicket given = ownTickets.remove(path);
        link.room().leave(path);
        departures.expectDeparture(path);
        return given;
    }

    /** The removal of a ticket from a queue was sent at once. */
    void removesAtOnce(String queue) {
        lastRemoval = new Sent(queue, System.nanoTime());
    }

    /**
     * Whether a removal from this queue was sent at once so recently that, put off, it could have gone out with a take
     * now.
     */
    boolean hasJustRemovedFrom(String queue) {
        Sent last = lastRemoval;
        return last.queue.equals(queue) && System.nanoTime() - last.nanos < Removals.SOON.toNanos();
    }

    /**
     * The answer to a take was lost: another ticket of the same request may come late.
     *
     * @param over the path of the node which will say that the request is over
     */
    void doubts(String over) {
        inDoubt.add(over);
    }

    /** No ticket of this request comes late any more. */
    void doubtsNoMore(String over) {
        inDoubt.remove(over);
        link.deleteSurely(over).thenRun(() -> link.room().leave(over));
    }

    /**
     * Creates the node which says that no ticket of a request counts any more. The request's ticket is gone, or about
     * to go. If the servers refuse the node, nothing is done.
     */
    void saysOver(String over) {
        link.room().stay(over, Room.sizeOf(over));
        link.requests()
                .create(
                        over,
                        new byte[0],
                        link.site().aclOf(over),
                        CreateMode.EPHEMERAL,
                        (code, path, context, name) -> answeredOver(over),
                        null);
    }

    /**
     * The creation of the node which says that a request is over was answered; perhaps the node is not needed any more.
     */
    void answeredOver(String over) {
        if (!inDoubt.contains(over)) {
            doubtsNoMore(over); // deletes the node: an earlier call may have come before the creation
        }
    }

    /** Whether another ticket of this request may come late. */
    boolean isInDoubt(String over) {
        return inDoubt.contains(over);
    }

    /** Whether the path is that of a living ticket of this session, as far as is known. */
    boolean has(String path) {
        return ownTickets.containsKey(path);
    }

    /** Whether a queue's node was seen so recently that it is likely to exist. */
    boolean knows(String queue) {
        Long seen = knownParents.get(queue);
        return seen != null && System.nanoTime() - seen < KNOWN_NANOS;
    }

    void seen(String queue) {
        if (knownParents.size() >= KNOWN_LIMIT) {
            knownParents.clear();
        }
        knownParents.put(queue, System.nanoTime());
    }

    /** Whether the last queue that this session did not know had a node already. */
    boolean expectsUnknownQueues() {
        return expectsUnknownQueues;
    }

    void unknownQueueIsThere(boolean there) {
        expectsUnknownQueues = there;
    }

    void missed(String queue) {
        knownParents.remove(queue);
    }
}
