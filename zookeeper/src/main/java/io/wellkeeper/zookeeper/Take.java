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
 *     nothing done, for the sake of a removal that was to go along -> send, by itself
 *     created along with removals -> listed -> [look at it, for its token, if somebody has come since] -> done
 *     created along with its queue, or with the removal of the only one in it -> [list] -> done
 *     no parent   -> send, with all parents          the first use of a name, or the reaper of containers was faster
 *     reply lost  -> recover
 *   recover:  consent, list                          pipelined
 *     it is there -> look at it -> done
 *     it is not   -> send
 *   after any of these it is there, but an earlier take of the same queue was sent again since:
 *     delete it -> send
 * </pre>
 *
 * <p>After a lost reply the handle may be connected to a server that has not heard of the node yet, or to a leader that
 * was deposed, has not noticed, and never will hear of it. So a transaction that only a majority can carry out, and by which
 * a server catches up, goes before the listing. Nothing of the lost request can arrive after that from another server, because the
 * leader refuses what comes from a session by way of a server that the session has left. From the same one it can: if the thread
 * that has read it is held up, and the session comes back by another thread meanwhile. So it is looked now and then, for some time,
 * whether there is another node of the same request. It is of a larger number, and nobody counts it: as long as the first one is
 * there, because of that, and afterwards because of a node that has taken its place ({@link TicketNodes#counting}). Or, if it was
 * carried out just before it was sent again, of a smaller one: then it is the first, and the ticket.
 *
 * <p>What is created in one transaction with its queue is alone in there. So is what follows, number upon number, upon a
 * ticket that was alone and goes in the same transaction: between the two, nobody has come. Then nothing is listed, and
 * the token is the next after that of the other: that was no younger than what had happened in the queue by then, and the
 * transaction is younger.
 *
 * <p>If the client's session was closed meanwhile, but not the ZooKeeper session that it shares, the same steps find the
 * node, and it is deleted.
 */
final class Take {

    /** Only the container reaper, and whoever takes a notice down, take parents away, and those that are empty. */
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

    // All below is written on ZooKeeper's event thread, or by whoever sends, which that thread is told of by an answer.
    private boolean again; // not sent for the first time
    private boolean doubted; // whether a reply was lost
    private int missed; // how often the queue's node was not there
    private @Nullable LockStoreException parentsTrouble;
    private boolean withRemovals;
    private Duration followed = Duration.ZERO; // how long the removal was put off upon which this follows at once
    private int created;
    private String node = "";
    private OptionalLong token = OptionalLong.empty(); // where it is known

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
     * In one transaction, unless the queue's node is to be made and is likely to be there.
     *
     * @return what goes along; empty if nothing was sent
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

    /** The next token, if nobody has come between the one that was alone and mine. */
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

    /** What is in the queue, and the state of its node; null if that failed. */
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

    /** @param number of the only ticket of this request that there is to be, or was; less than any if there is to be none */
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

    /** The node which says that this request is over. */
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

    /** The ticket was taken, but an earlier one of the same queue has to be taken after it. */
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
     * Whether the new ticket was the last to come. Then the queue's last change, its coming or the going of another, is
     * no older than itself, older than whatever comes next, and in no other ticket's hands.
     */
    private boolean isNewest(Listing listing) {
        // ZooKeeper shows 2 * (nodes ever created) - (nodes there are), and numbers a node by how many were before it.
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

    /** Looks for nodes of which the reply was lost: there may be more than one, if recovery was cut off too. */
    private void find(List<String> children) {
        List<Ticket> found = nodes(children);
        if (found.isEmpty()) {
            turn.send(() -> send(presumed()));
            return;
        }
        keepFirst(found);
        turn.numbered(() -> look(node, children));
    }

    /** Of several nodes of this request, others count the first, and know of no other. */
    private void keepFirst(List<Ticket> found) {
        found.subList(1, found.size()).forEach(extra -> discard(queue + '/' + extra.id()));
        String first = queue + '/' + found.get(0).id();
        if (!first.equals(node)) {
            node = first;
            token = OptionalLong.empty();
        }
    }

    /** Those of this request. */
    private List<Ticket> nodes(List<String> children) {
        String prefix = TicketNodes.prefix(session.id(), request);
        return TicketNodes.parse(
                children.stream().filter(child -> child.startsWith(prefix)).toList());
    }

    /** Looks at the ticket itself, for its token and for whose it is. */
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

    /** Removes a node of ours that is not to be used; and the queue with it if that is empty, so that it counts anew. */
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
