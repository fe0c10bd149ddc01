package io.wellkeeper.zookeeper;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.DepartureWatcher;
import io.wellkeeper.spi.Ticket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;

/**
 * The watches of one session on tickets. A node has at most one watch, however many waiters wait for its departure. The
 * watch is set by reading the node, so that none is left on a node that is gone. It is removed with the last waiter.
 *
 * <p>The server keeps one watch for a node and a connection, and can only remove it as a whole. If another user of the
 * connection removes it, ZooKeeper sends an event, and the watch is set again.
 */
final class DepartureWatches {

    private final Link link;
    private final Map<String, NodeWatch> watches = new ConcurrentHashMap<>();

    DepartureWatches(Link link) {
        this.link = link;
    }

    Registration watch(String queue, Collection<Ticket> any, DepartureWatcher watcher) {
        List<Waiting> waiting = new ArrayList<>();
        for (Ticket ticket : any) {
            Waiting one = new Waiting(queue + '/' + ticket.id(), ticket, watcher);
            waiting.add(one);
            watches.compute(one.path, (path, there) -> {
                NodeWatch watch = there == null ? new NodeWatch(path) : there;
                watch.waiting.add(one);
                if (there == null) {
                    watch.arm();
                }
                return watch;
            });
        }
        return () -> waiting.forEach(this::forget);
    }

    /** This session is removing the node itself: the watch will fire, and need not be removed. */
    void expectDeparture(String path) {
        NodeWatch watch = watches.get(path);
        if (watch != null) {
            watch.departing = true;
        }
    }

    /** Removes all waiters and watches. */
    void close() {
        for (NodeWatch watch : watches.values()) {
            watch.waiting.forEach(this::forget);
        }
    }

    private void forget(Waiting one) {
        watches.computeIfPresent(one.path, (path, watch) -> {
            if (!watch.waiting.remove(one) || !watch.waiting.isEmpty()) {
                return watch;
            }
            if (!watch.departing) {
                link.removeWatches(path, Watcher.WatcherType.Data, () -> !watches.containsKey(path));
            }
            return null;
        });
    }

    /** One registration for one ticket; compared by identity. */
    private static final class Waiting {
        private final String path;
        private final Ticket ticket;
        private final DepartureWatcher watcher;

        Waiting(String path, Ticket ticket, DepartureWatcher watcher) {
            this.path = path;
            this.ticket = ticket;
            this.watcher = watcher;
        }
    }

    private final class NodeWatch implements Watcher {

        private final String path;
        private final Queue<Waiting> waiting = new ConcurrentLinkedQueue<>(); // changed only inside the map's compute
        private volatile boolean departing;
        private Duration pause = Link.PAUSE; // before the watch is requested again; used on the event thread

        NodeWatch(String path) {
            this.path = path;
        }

        @Override
        public void process(WatchedEvent event) {
            switch (event.getType()) {
                case NodeDeleted -> {
                    link.tells();
                    departed();
                }
                case NodeDataChanged, DataWatchRemoved -> rearm();
                case None -> {
                    if (event.getState() == Event.KeeperState.Disconnected) {
                        lostTouch();
                    }
                }
                default -> {}
            }
        }

        /**
         * The handle keeps its watches when the connection is lost, so only a failed request for a watch is repeated.
         */
        void arm() {
            link.requests()
                    .getData(
                            path,
                            this,
                            (code, p, context, data, stat) -> {
                                if (code == Code.NONODE.intValue()) {
                                    departed();
                                } else if (code != Code.OK.intValue()) {
                                    Duration now = pause;
                                    pause = Link.pauseAfter(code, pause); // perhaps it may not be read
                                    link.later(now, this::rearm);
                                }
                            },
                            null);
        }

        private void lostTouch() {
            link.lostTouch();
            if (link.forgetsWatches()) {
                rearm();
            }
        }

        private void rearm() {
            watches.computeIfPresent(path, (p, current) -> {
                if (current == this) {
                    arm();
                }
                return current;
            });
        }

        private void departed() {
            if (watches.remove(path, this)) {
                for (Waiting one : waiting) {
                    one.watcher.departed(one.ticket);
                }
            }
        }
    }
}
