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
 * Who wants to know when a lock's node goes. One persistent watch for each node; it outlives the node, and is set again
 * on a new session. What happened while the connection was lost is not told, so then everybody is hinted.
 */
final class ReleaseHints implements Watcher {

    private final Map<String, Queue<Runnable>> hints = new ConcurrentHashMap<>();
    private volatile @Nullable Link link;

    Registration add(String path, Runnable hint) {
        hints.compute(path, (p, there) -> {
            Queue<Runnable> all = there == null ? new ConcurrentLinkedQueue<>() : there;
            all.add(hint);
            return all;
        });
        arm(path);
        return () -> remove(path, hint);
    }

    void connected(Link link) {
        this.link = link;
        hints.keySet().forEach(this::arm);
    }

    void hintAll() {
        hints.keySet().forEach(this::hint);
    }

    @Override
    public void process(WatchedEvent event) {
        if (event.getType() == Event.EventType.NodeDeleted) {
            hint(event.getPath());
        } else if (event.getType() == Event.EventType.None && event.getState() == Event.KeeperState.SyncConnected) {
            hintAll();
        }
    }

    private void arm(String path) {
        Link link = this.link;
        if (link == null || link.ended()) {
            return;
        }
        link.requests().addWatch(path, this, AddWatchMode.PERSISTENT, (code, p, context) -> {}, null);
        link.requests()
                .exists(
                        path,
                        false,
                        (code, p, context, stat) -> {
                            if (code != Code.OK.intValue()) {
                                hint(path);
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
            if (link != null && !link.ended()) {
                link.requests().removeAllWatches(path, WatcherType.Any, true, (code, q, context) -> {}, null);
            }
            return null;
        });
    }
}
