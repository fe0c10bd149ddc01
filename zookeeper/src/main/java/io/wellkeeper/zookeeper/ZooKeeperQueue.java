package io.wellkeeper.zookeeper;

import io.wellkeeper.LockStoreException;
import io.wellkeeper.Registration;
import io.wellkeeper.spi.DepartureWatcher;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketInfo;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketRequest;
import io.wellkeeper.zookeeper.Removals.Removal;
import io.wellkeeper.zookeeper.ZooKeeperSession.OwnTicket;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.IntConsumer;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * A queue is one container node; its tickets are sequential ephemeral children.
 *
 * <p>ZooKeeper's sequence is a signed 32-bit counter of the parent. It must not reach its end, where it sticks and
 * hands out the same number twice. The counter begins anew when its parent is created anew. So the removal of a ticket
 * above half of the range deletes the parent, too, if that ticket is the last one.
 */
final class ZooKeeperQueue implements TicketQueue {

    private static final long HEALING_NUMBER = 1L << 30;

    private final ZooKeeperSession session;
    private final Link link;
    private final String path;

    ZooKeeperQueue(ZooKeeperSession session, String path) {
        this.session = session;
        this.link = session.link();
        this.path = path;
    }

    @Override
    public CompletionStage<Place> take(TicketRequest request) {
        try {
            return new Take(session, path, request).run();
        } catch (LockStoreException noRoom) {
            return CompletableFuture.failedFuture(noRoom);
        }
    }

    @Override
    public CompletionStage<List<Ticket>> tickets() {
        return link.upToDate(this::list);
    }

    private CompletionStage<List<Ticket>> list() {
        CompletableFuture<List<Ticket>> result = new CompletableFuture<>();
        link.requests()
                .getChildren(
                        path,
                        false,
                        (int code, String p, Object context, @Nullable List<String> children) -> {
                            if (code == Code.OK.intValue() && children != null) {
                                result.complete(TicketNodes.counting(children));
                            } else if (code == Code.NONODE.intValue()) {
                                result.complete(List.of());
                            } else {
                                result.completeExceptionally(link.failure(code, "list", path));
                            }
                        },
                        null);
        return result;
    }

    @Override
    public CompletionStage<List<TicketInfo>> inspect() {
        return Stages.plain(tickets().thenCompose(tickets -> {
            List<CompletableFuture<@Nullable TicketInfo>> reads =
                    tickets.stream().map(this::read).toList();
            return CompletableFuture.allOf(reads.toArray(CompletableFuture<?>[]::new))
                    .thenApply(all -> {
                        List<TicketInfo> infos = new ArrayList<>();
                        for (CompletableFuture<@Nullable TicketInfo> read : reads) {
                            TicketInfo info = read.join();
                            if (info != null) {
                                infos.add(info);
                            }
                        }
                        return infos;
                    });
        }));
    }

    /** Null if the ticket has departed. */
    private CompletableFuture<@Nullable TicketInfo> read(Ticket ticket) {
        CompletableFuture<@Nullable TicketInfo> result = new CompletableFuture<>();
        String node = node(ticket);
        link.requests()
                .getData(
                        node,
                        false,
                        (code, p, context, data, stat) -> {
                            if (code == Code.OK.intValue()) {
                                String metadata = data == null ? "" : new String(data, StandardCharsets.UTF_8);
                                result.complete(info(ticket, metadata, stat));
                            } else if (code == Code.NOAUTH.intValue()) {
                                readTime(ticket, result);
                            } else if (code == Code.NONODE.intValue()) {
                                result.complete(null);
                            } else {
                                result.completeExceptionally(link.failure(code, "read", node));
                            }
                        },
                        null);
        return result;
    }

    private static TicketInfo info(Ticket ticket, String metadata, Stat stat) {
        return new TicketInfo(
                ticket,
                metadata,
                Instant.ofEpochMilli(stat.getCtime()),
                TicketNodes.hasOwnToken(ticket) ? OptionalLong.of(stat.getCzxid()) : OptionalLong.empty());
    }

    /** Reads when a ticket was taken, which does not need the right to read its data. */
    private void readTime(Ticket ticket, CompletableFuture<@Nullable TicketInfo> result) {
        link.requests()
                .exists(
                        node(ticket),
                        false,
                        (int code, String p, Object context, @Nullable Stat stat) -> {
                            if (code == Code.OK.intValue() && stat != null) {
                                result.complete(info(ticket, "", stat));
                            } else if (code == Code.NONODE.intValue()) {
                                result.complete(null);
                            } else {
                                result.completeExceptionally(link.failure(code, "look at", p));
                            }
                        },
                        null);
    }

    @Override
    public CompletionStage<Boolean> remove(Ticket ticket) {
        String node = node(ticket);
        OwnTicket given = session.gives(node);
        CompletableFuture<Boolean> withParent = ticket.number() > HEALING_NUMBER
                ? removeWithParent(link, node, path)
                : CompletableFuture.completedFuture(false);
        CompletableFuture<Boolean> result = new CompletableFuture<>();
        // Earlier requests are answered first, except by a handle that is being closed.
        IntConsumer answered = code -> withParent.thenAccept(gone -> {
            if (gone) {
                session.missed(path);
                result.complete(true);
            } else if (code == Code.OK.intValue()) {
                result.complete(true);
            } else if (code == Code.NONODE.intValue()) {
                result.complete(false);
            } else {
                LockStoreException failure = link.failure(code, "remove", node);
                if (given != null) {
                    session.took(node, given.data());
                    if (link.ended()) {
                        link.deleteSurely(node); // a ZooKeeper session that is shared may go on
                    }
                }
                result.completeExceptionally(failure);
            }
        });
        String over = TicketNodes.overPath(node);
        if (session.isInDoubt(over)) {
            removeForGood(node, over, answered);
        } else if (given != null && !given.patience().isZero()) {
            link.removals().putOff(new Removal(node, given.patience(), given.sole(), answered));
        } else {
            session.removesAtOnce(path);
            link.requests().delete(node, -1, (code, p, context) -> answered.accept(code), null);
        }
        return result;
    }

    /**
     * Removes a ticket whose request may bring another one late. The same transaction creates the node which says that
     * no ticket of this request counts any more. If the servers refuse that node, the ticket alone is removed.
     */
    private void removeForGood(String node, String over, IntConsumer answered) {
        link.room().stay(over, Room.sizeOf(over));
        link.requests()
                .multi(
                        List.of(
                                Op.delete(node, -1),
                                Op.create(over, new byte[0], link.site().aclOf(over), CreateMode.EPHEMERAL)),
                        (code, p, context, results) -> {
                            session.answeredOver(over);
                            if (code == Code.NONODE.intValue()) { // another client removed it, unaware of the doubt
                                session.saysOver(over);
                            }
                            if (code == Code.OK.intValue() || code == Code.NONODE.intValue() || Link.mayPass(code)) {
                                answered.accept(code);
                            } else {
                                link.requests().delete(node, -1, (last, q, unused) -> answered.accept(last), null);
                            }
                        },
                        null);
    }

    /** True if this call deleted both nodes; false if it deleted neither, or if that is not known. */
    static CompletableFuture<Boolean> removeWithParent(Link link, String node, String parent) {
        CompletableFuture<Boolean> result = new CompletableFuture<>();
        link.requests()
                .multi(
                        List.of(Op.delete(node, -1), Op.delete(parent, -1)),
                        (code, p, context, answers) -> result.complete(code == Code.OK.intValue()),
                        null);
        return result;
    }

    @Override
    public Registration onDeparture(Collection<Ticket> any, DepartureWatcher watcher) {
        return session.departures().watch(path, any, watcher);
    }

    @Override
    public CompletionStage<Boolean> alone(Ticket mine, Runnable arrived) {
        return new Arrival(session, path, mine, arrived).run();
    }

    @Override
    public CompletionStage<Ticket> replace(Ticket mine, Mode mode, int permits) {
        node(mine);
        return new Replacement(session, path, mine, TicketNodes.milder(mine, mode, permits)).run();
    }

    @Override
    public CompletionStage<Void> describe(Ticket mine, String metadata) {
        String node = node(mine);
        byte[] data = metadata.getBytes(StandardCharsets.UTF_8);
        CompletableFuture<Void> result = new CompletableFuture<>();
        session.describes(node, data);
        link.requests()
                .setData(
                        node,
                        data,
                        -1,
                        (code, p, context, stat) -> {
                            if (code == Code.OK.intValue() || code == Code.NONODE.intValue()) {
                                result.complete(null);
                            } else {
                                result.completeExceptionally(link.failure(code, "write", node));
                            }
                        },
                        null);
        return result;
    }

    @Override
    public CompletionStage<Notice> notice() {
        return session.behindTakes(path, () -> link.upToDate(this::readNotice));
    }

    /**
     * Reads after the watch is set, if there is one: otherwise a departure could be told before a change of the notice.
     */
    private CompletionStage<Notice> readNotice() {
        return session.notices().armed(path).thenCompose(armed -> new QueueNotice(session, path).read());
    }

    @Override
    public CompletionStage<Boolean> post(Notice seen, String text) {
        return new QueueNotice(session, path).post(seen, text);
    }

    @Override
    public Registration onNotice(Runnable changed) {
        return session.notices().watch(path, changed);
    }

    private String node(Ticket ticket) {
        if (TicketNodes.parse(Objects.requireNonNull(ticket.id())).isEmpty()) {
            throw new IllegalArgumentException("not a ticket of this store: " + ticket.id());
        }
        return path + '/' + ticket.id();
    }
}
