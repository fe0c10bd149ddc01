package io.wellkeeper.zookeeper;

import io.wellkeeper.spi.Ticket;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.jspecify.annotations.Nullable;

/**
 * Waits for a ticket of another session behind a ticket of this session. The watch is on the queue's children, so it
 * fires at the latest when the own ticket is removed, and need not be removed. If the handle forgets the watch with its
 * connection, that counts as an arrival.
 */
final class Arrival implements Watcher {

    private final ZooKeeperSession session;
    private final Link link;
    private final String queue;
    private final Ticket mine;
    private final AtomicBoolean waiting = new AtomicBoolean(true);
    private final Runnable arrived;

    Arrival(ZooKeeperSession session, String queue, Ticket mine, Runnable arrived) {
        this.session = session;
        this.link = session.link();
        this.queue = queue;
        this.mine = mine;
        this.arrived = arrived;
    }

    CompletionStage<Boolean> run() {
        CompletableFuture<Boolean> result = new CompletableFuture<>();
        link.requests()
                .getChildren(
                        queue,
                        this,
                        (int code, String path, Object context, @Nullable List<String> children) -> {
                            if (code == Code.OK.intValue() && children != null) {
                                boolean alone = !somebodyBehind(children);
                                waiting.compareAndSet(true, alone);
                                result.complete(alone);
                            } else {
                                waiting.set(false);
                                result.completeExceptionally(link.failure(code, "list", queue));
                            }
                        },
                        null);
        return result;
    }

    /** Does not look which ticket came or left: a new ticket must not wait for one more round trip. */
    @Override
    public void process(WatchedEvent event) {
        if ((event.getType() != Event.EventType.None || link.forgetsWatches(event))
                && session.has(queue + '/' + mine.id())
                && waiting.compareAndSet(true, false)) {
            arrived.run();
        }
    }

    private boolean somebodyBehind(List<String> children) {
        return TicketNodes.parse(children).stream()
                .anyMatch(other ->
                        other.number() > mine.number() && !other.session().equals(session.id()));
    }
}
