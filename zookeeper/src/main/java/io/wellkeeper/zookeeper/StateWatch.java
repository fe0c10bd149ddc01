package io.wellkeeper.zookeeper;

import io.wellkeeper.Registration;
import java.util.UUID;
import java.util.function.Consumer;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;

/**
 * Tells of the state of a handle whose connection does not tell of it. A handle tells everybody who has a watch. So this is
 * a watch on a node that never exists.
 */
final class StateWatch implements Watcher, Registration {

    private final Link link;
    private final String path;
    private final Consumer<Event.KeeperState> changed;
    private volatile boolean closed;

    private StateWatch(Link link, Consumer<Event.KeeperState> changed) {
        this.link = link;
        this.path = link.site().pathBeside(UUID.randomUUID().toString());
        this.changed = changed;
    }

    static Registration set(Link link, Consumer<Event.KeeperState> changed) {
        StateWatch watch = new StateWatch(link, changed);
        watch.arm();
        return watch;
    }

    private void arm() {
        link.requests()
                .exists(
                        path,
                        this,
                        (code, p, context, stat) -> {
                            if (closed) {
                                close(); // the watch may have been set after it was removed
                            } else if (Link.mayPass(code)) {
                                link.later(this::arm);
                            }
                        },
                        null);
    }

    @Override
    public void process(WatchedEvent event) {
        if (event.getType() == Event.EventType.None && !closed) {
            changed.accept(event.getState());
            if (link.forgetsWatches(event)) {
                arm();
            }
        }
    }

    /** May be called again. */
    @Override
    public void close() {
        closed = true;
        link.removeWatches(path, WatcherType.Data, () -> true);
    }
}
