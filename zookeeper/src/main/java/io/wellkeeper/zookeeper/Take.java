package io.wellkeeper.zookeeper;

import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketRequest;
import io.wellkeeper.zookeeper.Removals.Removal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.OpResult.CreateResult;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * Takes one ticket.
 *
 * <pre>
 *   send:     [create the parents], create, list     pipelined; answered in this order
 *     created     -> listed -> done
 *     nothing done, as the transaction with the removals failed -> send, without removals
 *     created along with removals -> listed -> [look at it, for its token, if somebody has come since] -> done
 *     created along with its queue, or with the removal of the only one in it -> [list] -> done
 *     no parent   -> send, with all parents          the first use of a name, or the reaper of containers was faster
 *     reply lost  -> recover
 *   recover:  consent, list                          pipelined
 *     it is there -> look at it -> done
 *     it is not   -> send
 *   after each of these, if the node is there, but an earlier take of the same queue was sent again since:
 *     delete it -> send
 * </pre>
 *
 * <p>After a lost reply the handle may be connected to a server that does not have the node yet, or to a leader that
 * was deposed, has not noticed, and will never have it. So a transaction that only a majority can carry out, and by
 * which the server catches up, goes before the listing. After it, the lost request cannot arrive from another server,
 * because the leader refuses requests of a session from a server that the session has left. It can arrive from the same
 * server, if the thread that has read it stalls, and the session comes back through another thread. So for some time
 * the take looks now and then for another node of the same request, a <i>twin</i>. A late twin has a larger number, and
 * no client counts it: first because the first node is there, and afterwards because of a node that has taken its place
 * ({@link TicketNodes#counting}). If the lost request was carried out just before the request was sent again, its node
 * has the smaller number: then that node is the first, and the ticket.
 *
 * <p>A ticket that is created in one transaction with its queue is alone in the queue. So is a ticket whose transaction
 * removes a ticket that was alone and has the number before: no ticket has come between the two. Then nothing is
 * listed, and the token is the removed ticket's token plus one. The removed ticket's token was no lower than any
 * earlier change of the queue, and the new transaction has a higher {@code zxid} than that token.
 *
 * <p>If the client's session was closed meanwhile, but not the ZooKeeper session that it shares, the same steps find the
 * node and delete it.
 */
final class Take {

    /**
     * Parents rarely vanish: only the container reaper and the removal of a notice delete them, and only empty ones.
     */
    private static final int ATTEMPTS = 10;

    private static final Duration FIRST_LOOK_FOR_TWINS = Duration.ofSeconds(1);
    private static final Duration LAST_LOOK_FOR_TWINS = Duration.ofSeconds(32);

    /** Where ZooKeeper's counter, which must not reach its end, is no longer trusted. */
    private static final long LAST_NUMBER = (1L << 31) - (1 << 16);

    private enum Parents {
        PRESUMED,
        LAST,
        ALL
    }

    private final ZooKeeperSession session;
    private final Link link;
    private final String queue;
    private final TicketRequest request;
    private final CompletableFuture<Place> result = new CompletableFuture<>();
    private final TakeOrder.Turn turn;

    // All below is written on ZooKeeper's event thread, or by the sending thread before the answer reaches the event
    // thread.
    private boolean again; // the request was sent before
    private boolean doubted; // whether a reply was lost
    private int missed; // how often the queue's node was not there
    private @Nullable LockStoreException parentsTrouble;
    private boolean withRemovals;
    private Duration followed = Duration.ZERO; // the patience of the removal that this take directly follows
    private int created;
    private String node = "";
    private OptionalLong token = OptionalLong.empty(); // empty as long as it is not known

    Take(ZooKeeperSession session, String queue, TicketRequest request) {
        this.session = session;
        this.link = session.link();
        this.queue = queue;
        this.request = request;
        this.turn = session.takes(queue, TicketNodes.sizeOf(path(true)), result, this::anew);
    }

    CompletableFuture<Place> run() {
        turn.send(() -> send(presumed()));
        return result;
    }

    private Parents presumed() {
        return session.knows(queue) ? Parents.PRESUMED : Parents.LAST;
    }

    private void send(Parents parents) {
        if (link.ended()) {
            fail(ended());
            return;
        }
        created =
                Code.CONNECTIONLOSS
                        .intValue(); // until it is known better: the last answers of a handle come in any order
        token = OptionalLong.empty();
        if (session.hasJustRemovedFrom(queue)) {
            followed = Removals.PATIENCE;
        }
        List<Removal> along = again ? List.of() : createWithRemovals(parents);
        again = true;
        if (along.isEmpty()) {
            withRemovals = false;
            create(parents);
        }
        if (!isLikelyAlone(parents, along)) {
            list(this::listed);
        }
    }

    /**
     * Creates the ticket, with the queue's node if that is not known, and the removals that were put off, in one
     * transaction. Sends nothing if the queue's node would have to be created but is likely to exist.
     *
     * @return the removals in the transaction; empty if nothing was sent
     */
    private List<Removal> createWithRemovals(Parents parents) {
        List<Op> nodes = new ArrayList<>();
        if (parents == Parents.LAST) {
            if (session.expectsUnknownQueues()) {
                return List.of();
            }
            nodes.add(Op.create(queue, new byte[0], link.site().aclOf(queue), CreateMode.CONTAINER));
        }
        String path = path(false);
        nodes.add(Op.create(path, data(), link.site().aclOf(path), CreateMode.EPHEMERAL_SEQUENTIAL));
        withRemovals = true;
        return link.removals().sendWith(nodes, (code, along, made) -> createdWithRemovals(parents, code, along, made));
    }

    /** @param ownToken see {@link TicketNodes#name} */
    private String path(boolean ownToken) {
        return queue + '/' + TicketNodes.name(session.id(), request, ownToken);
    }

    private boolean isLikelyAlone(Parents parents, List<Removal> along) {
        return !along.isEmpty() && (parents == Parents.LAST || along.stream().anyMatch(this::wasAlone));
    }

    private boolean wasAlone(Removal removal) {
        return removal.sole().isPresent() && isOfThisQueue(removal);
    }

    private boolean isOfThisQueue(Removal removal) {
        return removal.node().startsWith(queue + '/');
    }

    private void createdWithRemovals(Parents parents, int code, List<Removal> along, List<OpResult> made) {
        created = code;
        along.stream().filter(this::isOfThisQueue).forEach(removal -> followed = removal.patience());
        if (!made.isEmpty()) {
            CreateResult queueMade = (CreateResult) made.get(0);
            String path =
                    ((CreateResult) made.get(made.size() - 1)).getPath(); // with the handle's chroot, if it has one
            node = queue + path.substring(path.lastIndexOf('/'));
            token = made.size() > 1 ? czxid(queueMade.getStat()) : tokenAfter(along);
        }
        if (isLikelyAlone(parents, along)) {
            if (token.isPresent()) {
                session.seen(queue);
                turn.numbered(() -> finish(List.of(node.substring(queue.length() + 1)), true));
            } else if (created == Code.OK.intValue()) {
                list(this::listed);
            } else {
                listed(code, null);
            }
        }
    }

    /**
     * The token after that of the removed ticket, if that one was alone, and no ticket came between it and this one.
     */
    private OptionalLong tokenAfter(List<Removal> along) {
        long before = mine().map(Ticket::number).orElse(0L) - 1;
        return along.stream()
                .filter(this::wasAlone)
                .filter(removal -> ticket(removal.node())
                        .filter(last -> last.number() == before)
                        .isPresent())
                .mapToLong(removal -> removal.sole().getAsLong() + 1)
                .findFirst();
    }

    private static OptionalLong czxid(@Nullable Stat stat) {
        return stat == null ? OptionalLong.empty() : OptionalLong.of(stat.getCzxid());
    }

    private void create(Parents parents) {
        String path = path(true);
        switch (parents) {
            case PRESUMED -> {}
            case LAST -> createParents(List.of(new Site.Node(queue, CreateMode.CONTAINER)));
            case ALL -> {
                createParents(link.site().ancestors(queue));
                createParents(List.of(new Site.Node(queue, CreateMode.CONTAINER)));
            }
        }
        link.requests()
                .create(
                        path,
                        data(),
                        link.site().aclOf(path),
                        CreateMode.EPHEMERAL_SEQUENTIAL,
                        (int code, String p, Object context, @Nullable String name, @Nullable Stat stat) ->
                                created(code, name, stat),
                        null);
    }

    private void created(int code, @Nullable String name, @Nullable Stat stat) {
        created = code;
        if (name != null) {
            node = name;
            token = czxid(stat);
        }
    }

    /** The children of the queue's node, and its state. */
    private record Listing(List<String> children, Stat queue) {}

    private void list(BiConsumer<Integer, @Nullable Listing> then) {
        link.requests()
                .getChildren(
                        queue,
                        false,
                        (int code, String path, Object context, @Nullable List<String> children, @Nullable Stat stat) ->
                                then.accept(
                                        code, children == null || stat == null ? null : new Listing(children, stat)),
                        null);
    }

    private byte[] data() {
        return request.metadata().getBytes(StandardCharsets.UTF_8);
    }

    private void createParents(List<Site.Node> parents) {
        link.createParents(parents, (path, code) -> {
            link.refusalOfParent(code, path).ifPresent(refusal -> parentsTrouble = refusal);
            if (path.equals(queue) && !Link.unknown(code)) {
                session.unknownQueueIsThere(code == Code.NODEEXISTS.intValue());
            }
        });
    }

    /** Both requests are answered. */
    private void listed(int code, @Nullable Listing listing) {
        if (created == Code.OK.intValue()) {
            session.seen(queue);
            turn.numbered(() -> inQueue(code, listing));
        } else if (Link.unknown(created)) {
            link.failure(created, "create", queue);
            turn.doubted();
            doubted();
            recover();
        } else if (withRemovals) {
            turn.send(() -> send(presumed()));
        } else if (created == Code.NONODE.intValue()) {
            missed();
        } else {
            fail(link.failure(created, "create a node in", queue));
        }
    }

    private void doubted() {
        if (!doubted) {
            doubted = true;
            session.doubts(over());
            result.whenComplete((place, failure) ->
                    lookForTwins(place == null ? -1 : place.ticket().number(), FIRST_LOOK_FOR_TWINS));
        }
    }

    /** @param number the number of the request's only valid ticket, be it gone or not; -1 if the request has none */
    private void lookForTwins(long number, Duration pause) {
        link.later(pause, () -> {
            list((code, listing) -> {
                if (listing != null) {
                    nodes(listing.children()).stream()
                            .filter(ticket -> ticket.number() != number)
                            .forEach(twin -> link.deleteSurely(queue + '/' + twin.id()));
                }
            });
            if (pause.compareTo(LAST_LOOK_FOR_TWINS) < 0) {
                lookForTwins(number, pause.multipliedBy(2));
            } else {
                session.doubtsNoMore(over());
            }
        });
    }

    /** The path of the node which says that this request is over. */
    private String over() {
        return queue + '/' + TicketNodes.over(TicketNodes.prefix(session.id(), request));
    }

    private void missed() {
        session.missed(queue);
        if (++missed < ATTEMPTS) {
            turn.send(() -> send(Parents.ALL));
        } else {
            fail(
                    parentsTrouble != null
                            ? parentsTrouble
                            : new LockStoreException("ZooKeeper at "
                                    + link.site().address() + ": " + queue + " vanishes as often as it is created"));
        }
    }

    /**
     * The ticket was taken, but an earlier take of the same queue is sent again after it: gives it back and takes
     * another.
     */
    private void anew() {
        link.deleteSurely(node).thenRun(() -> turn.send(() -> send(presumed())));
    }

    /** The ticket was taken. */
    private void inQueue(int code, @Nullable Listing listing) {
        if (code == Code.OK.intValue() && listing != null) {
            inQueue(listing);
        } else if (Link.mayPass(code)) {
            link.failure(code, "list", queue);
            again(() -> list(this::inQueue));
        } else {
            discard(node);
            fail(link.failure(code, "list", queue));
        }
    }

    private void inQueue(Listing listing) {
        List<Ticket> sent = doubted ? nodes(listing.children()) : List.of();
        if (!sent.isEmpty()) {
            keepFirst(sent);
        }
        boolean newest = isNewest(listing);
        if (token.isEmpty() && newest) {
            token = OptionalLong.of(listing.queue().getPzxid());
        }
        if (token.isEmpty()) {
            look(node, listing.children());
        } else {
            finish(listing.children(), newest && listing.children().size() == 1);
        }
    }

    /**
     * Whether the new ticket was the last to come. Then the {@code zxid} of the queue's last change can be its token:
     * that change was its own creation or the removal of another ticket. So it is no older than the ticket, older than
     * every later ticket, and the token of no other one.
     */
    private boolean isNewest(Listing listing) {
        // The cversion is 2 * (children ever created) - (children now), and a child's number is how many were created
        // before.
        int there = listing.children().size();
        return mine().filter(mine -> listing.queue().getCversion() == (int) (2 * (mine.number() + 1) - there))
                .isPresent();
    }

    private void recover() {
        int[] consent = link.consent();
        list((code, listing) -> {
            int answer = consent[0] == Code.OK.intValue() ? code : consent[0];
            if (answer == Code.OK.intValue() && listing != null) {
                find(listing.children());
            } else if (answer == Code.NONODE.intValue()) {
                missed();
            } else if (Link.mayPass(answer)) {
                again(this::recover);
            } else {
                fail(link.failure(answer, "list", queue));
            }
        });
    }

    /**
     * Looks for nodes whose reply was lost. There may be several, if the connection was lost during the recovery, too.
     */
    private void find(List<String> children) {
        List<Ticket> found = nodes(children);
        if (found.isEmpty()) {
            turn.send(() -> send(presumed()));
            return;
        }
        keepFirst(found);
        turn.numbered(() -> look(node, children));
    }

    /** Keeps the first of several nodes of this request: other clients count only the first one. */
    private void keepFirst(List<Ticket> found) {
        found.subList(1, found.size()).forEach(extra -> discard(queue + '/' + extra.id()));
        String first = queue + '/' + found.get(0).id();
        if (!first.equals(node)) {
            node = first;
            token = OptionalLong.empty();
        }
    }

    /** The tickets of this request among the children. */
    private List<Ticket> nodes(List<String> children) {
        String prefix = TicketNodes.prefix(session.id(), request);
        return TicketNodes.parse(
                children.stream().filter(child -> child.startsWith(prefix)).toList());
    }

    /** Looks at the ticket's node, for its token, and for the session that owns it. */
    private void look(String path, List<String> children) {
        link.requests()
                .exists(
                        path,
                        false,
                        (int code, String p, Object context, @Nullable Stat stat) -> {
                            if (code == Code.OK.intValue()
                                    && stat != null
                                    && stat.getEphemeralOwner() == link.sessionId()) {
                                token = czxid(stat);
                                finish(children, false);
                            } else if (code == Code.OK.intValue() || code == Code.NONODE.intValue()) {
                                fail(removedByOthers());
                            } else if (Link.mayPass(code)) {
                                again(() -> look(path, children));
                            } else {
                                fail(link.failure(code, "look at", path));
                            }
                        },
                        null);
    }

    /** @param sole whether the ticket is alone, and was the last to come */
    private void finish(List<String> children, boolean sole) {
        List<Ticket> tickets = TicketNodes.counting(children);
        Optional<Ticket> parsed = mine();
        if (parsed.isEmpty() || parsed.get().number() > LAST_NUMBER || hasTwin(tickets, parsed.get())) {
            discard(node);
            fail(new LockStoreException("ZooKeeper at " + link.site().address() + ": the sequence counter of " + queue
                    + " is at its end; it begins anew once nobody uses the lock for a moment"));
            return;
        }
        Ticket mine = parsed.get();
        if (!tickets.contains(mine)) {
            fail(removedByOthers());
            return;
        }
        List<Ticket> ahead = new ArrayList<>();
        for (Ticket ticket : tickets) {
            if (ticket.number() < mine.number()) {
                ahead.add(ticket);
            }
        }
        session.took(node, data(), patience(ahead, sole), sole ? token : OptionalLong.empty());
        if (link.ended()) {
            discard(node);
            fail(ended());
        } else {
            result.complete(new Place(mine, token.orElseThrow(), ahead));
        }
    }

    private Duration patience(List<Ticket> ahead, boolean sole) {
        if (followed.isZero()) {
            return ahead.isEmpty() ? Removals.PATIENCE : Duration.ZERO;
        }
        return sole ? Removals.longer(followed) : Removals.PATIENCE;
    }

    private Optional<Ticket> mine() {
        return ticket(node);
    }

    private Optional<Ticket> ticket(String path) {
        return TicketNodes.parse(path.substring(queue.length() + 1));
    }

    private static boolean hasTwin(List<Ticket> tickets, Ticket mine) {
        return tickets.stream().anyMatch(other -> other.number() == mine.number() && !other.equals(mine));
    }

    private LockStoreException ended() {
        return link.failure(Code.SESSIONEXPIRED.intValue(), "take a ticket in", queue);
    }

    private LockStoreException removedByOthers() {
        return new LockStoreException(
                "ZooKeeper at " + link.site().address() + ": somebody removed the new ticket from " + queue);
    }

    /**
     * Removes a node of ours that must not be used, and with it the queue if that is empty then, so that it counts
     * anew.
     */
    private void discard(String path) {
        ZooKeeperQueue.removeWithParent(link, path, queue);
        link.deleteSurely(path);
    }

    private void again(Runnable step) {
        if (!link.later(step)) {
            fail(ended());
        }
    }

    private void fail(LockStoreException failure) {
        result.completeExceptionally(failure);
    }
}
