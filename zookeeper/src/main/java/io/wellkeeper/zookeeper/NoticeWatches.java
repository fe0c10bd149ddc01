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
 * The watches of one session on notices: at most one for each queue, however many want to know, set by asking whether the
 * node exists, so that it stands also while there is none, and taken back with the last who wants to know.
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

    /** Completes when what is asked from then on is asked behind the watch, if there is one. */
    CompletionStage<Void> armed(String path) {
        NodeWatch watch = watches.get(path);
        return watch == null ? ARMED : watch.armed;
    }

    /** Forgets and takes back everything. */
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

        /** Armed again first, and told afterwards: who reads then misses nothing. */
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

        /** Told at once, for what is read now may change unseen; so it is read when the watch has been armed again. */
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

        /** What happened meanwhile is told in any order once the connection is back: a change perhaps last. */
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
