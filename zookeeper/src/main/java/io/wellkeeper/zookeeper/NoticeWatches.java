package io.wellkeeper.zookeeper;

import io.wellkeeper.Registration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;

/**
 * The watches of one session on notices: at most one for each queue, however many listeners it has. The watch is set
 * with a request whether the node exists, so it works also while there is no node. It is removed with the last
 * listener.
 */
final class NoticeWatches {

    private static final CompletionStage<Void> ARMED = CompletableFuture.completedFuture(null);

    private final Link link;
    private final Map<String, NodeWatch> watches = new ConcurrentHashMap<>();

    NoticeWatches(Link link) {
        this.link = link;
    }

    Registration watch(String path, Runnable changed) {
        Runnable own = changed::run; // equal to no other
        watches.compute(path, (p, there) -> {
            NodeWatch watch = there == null ? new NodeWatch(path) : there;
            watch.told.add(own);
            if (there == null) {
                watch.arm();
            }
            return watch;
        });
        return () -> forget(path, own);
    }

    /**
     * Completes when a request that is sent from then on goes after the one that sets the watch, if there is a watch.
     */
    CompletionStage<Void> armed(String path) {
        NodeWatch watch = watches.get(path);
        return watch == null ? ARMED : watch.armed;
    }

    /** Removes all listeners and watches. */
    void close() {
        watches.forEach((path, watch) -> watch.told.forEach(one -> forget(path, one)));
    }

    private void forget(String path, Runnable own) {
        watches.computeIfPresent(path, (p, watch) -> {
            if (!watch.told.remove(own) || !watch.told.isEmpty()) {
                return watch;
            }
            link.removeWatches(path, Watcher.WatcherType.Data, () -> !watches.containsKey(path));
            return null;
        });
    }

    private final class NodeWatch implements Watcher {

        private final String path;
        private final Queue<Runnable> told = new ConcurrentLinkedQueue<>(); // changed only inside the map's compute
        private volatile CompletionStage<Void> armed = ARMED; // written on the event thread

        NodeWatch(String path) {
            this.path = path;
        }

        /** Sets the watch again before it tells the listeners, so that a listener which reads then misses no change. */
        @Override
        public void process(WatchedEvent event) {
            switch (event.getType()) {
                case NodeCreated, NodeDeleted, NodeDataChanged, DataWatchRemoved -> {
                    link.tells();
                    rearmAndTell();
                }
                case None -> {
                    if (event.getState() == Event.KeeperState.Disconnected) {
                        lostTouch();
                    }
                }
                default -> {}
            }
        }

        void arm() {
            link.requests()
                    .exists(
                            path,
                            this,
                            (code, p, context, stat) -> {
                                if (code != Code.OK.intValue() && code != Code.NONODE.intValue()) {
                                    notArmed();
                                }
                            },
                            null);
        }

        /**
         * Tells the listeners at once, because the notice may change without an event now. Their reads wait until the
         * watch has been requested again.
         */
        private void notArmed() {
            CompletableFuture<Void> again = new CompletableFuture<>();
            boolean repeated = link.later(() -> {
                rearmAndTell();
                again.complete(null);
            });
            if (repeated) {
                armed = again;
                told.forEach(Runnable::run);
            }
        }

        /**
         * Tells the listeners now: the events of the outage come in any order after it, and a changed notice perhaps
         * last.
         */
        private void lostTouch() {
            link.lostTouch();
            if (link.forgetsWatches()) {
                rearmAndTell();
            } else {
                told.forEach(Runnable::run);
            }
        }

        private void rearmAndTell() {
            NodeWatch still = watches.computeIfPresent(path, (p, current) -> {
                if (current == this) {
                    arm();
                }
                return current;
            });
            if (still == this) {
                told.forEach(Runnable::run);
            }
        }
    }
}
