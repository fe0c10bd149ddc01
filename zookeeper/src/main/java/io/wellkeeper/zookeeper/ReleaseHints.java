package io.wellkeeper.zookeeper;

import io.wellkeeper.Registration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.jspecify.annotations.Nullable;

/**
 * The waiters that want a hint when a lock's node is deleted. Each node has one persistent watch. The watch outlives
 * the node. It is set again on a new session, and when another user of the connection has removed it. No event tells
 * what happened while the connection was lost, so after a reconnect all waiters get a hint.
 */
final class ReleaseHints implements Watcher {

    private final Map<String, Queue<Runnable>> hints = new ConcurrentHashMap<>();
    private volatile @Nullable Link link;

    Registration add(String path, Runnable hint) {
        hints.compute(path, (p, there) -> {
            Queue<Runnable> all = there == null ? new ConcurrentLinkedQueue<>() : there;
            all.add(hint);
            arm(path);
            return all;
        });
        return () -> remove(path, hint);
    }

    void connected(Link link) {
        this.link = link;
        rearmAll();
    }

    void hintAll() {
        hints.keySet().forEach(this::hint);
    }

    @Override
    public void process(WatchedEvent event) {
        switch (event.getType()) {
            case NodeDeleted -> hint(event.getPath());
            case PersistentWatchRemoved -> rearm(event.getPath());
            case None -> {
                if (event.getState() == Event.KeeperState.SyncConnected) {
                    reconnected();
                }
            }
            default -> {}
        }
    }

    private void reconnected() {
        Link link = this.link;
        if (link != null && link.forgetsWatches()) {
            rearmAll();
        }
        hintAll();
    }

    private void rearmAll() {
        hints.keySet().forEach(this::rearm);
    }

    private void rearm(String path) {
        hints.computeIfPresent(path, (p, all) -> {
            arm(path);
            return all;
        });
    }

    /** Called inside the map's compute, so that the watch cannot be removed meanwhile. */
    private void arm(String path) {
        Link link = this.link;
        if (link == null || link.ended()) {
            return;
        }
        link.requests()
                .addWatch(
                        path,
                        this,
                        AddWatchMode.PERSISTENT,
                        (code, p, context) -> {
                            if (Link.mayPass(code)) {
                                link.later(() -> rearm(path));
                            }
                        },
                        null);
        link.requests()
                .exists(
                        path,
                        false,
                        (code, p, context, stat) -> {
                            if (code == Code.NONODE.intValue()) {
                                hint(path);
                            } else if (Link.mayPass(code)) {
                                link.later(() -> hint(path));
                            }
                        },
                        null);
    }

    private void hint(String path) {
        Queue<Runnable> all = hints.get(path);
        if (all != null) {
            all.forEach(Runnable::run);
        }
    }

    private void remove(String path, Runnable hint) {
        hints.computeIfPresent(path, (p, all) -> {
            if (!all.remove(hint) || !all.isEmpty()) {
                return all;
            }
            Link link = this.link;
            if (link != null) {
                link.removeWatches(path, WatcherType.Any, () -> !hints.containsKey(path));
            }
            return null;
        });
    }
}
