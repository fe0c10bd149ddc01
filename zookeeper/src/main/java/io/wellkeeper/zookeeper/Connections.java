package io.wellkeeper.zookeeper;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.StoreRefusalException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.CuratorEventType;
import org.apache.curator.framework.api.CuratorListener;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.curator.framework.listen.Listenable;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/** Connections that belong to the user, and stay open. */
final class Connections {

    private Connections() {}

    /**
     * Over Curator, which begins a new session when one has expired, or was without a connection for the session
     * timeout.
     */
    static Connection of(CuratorFramework curator) {
        return new OfCurator(curator);
    }

    /** Over a plain handle, which tells of its state only those who have a watch. */
    static Connection of(ZooKeeper zooKeeper) {
        return new Given() {
            @Override
            public CompletionStage<ZooKeeper> zooKeeper() {
                return zooKeeper.getState().isAlive()
                        ? CompletableFuture.completedFuture(zooKeeper)
                        : CompletableFuture.failedFuture(
                                new StoreRefusalException("the ZooKeeper handle that was given is "
                                        + zooKeeper.getState() + ": its session has ended, or was refused"));
            }

            @Override
            public Optional<Registration> onState(Consumer<KeeperState> listener) {
                return Optional.empty();
            }
        };
    }

    private abstract static class Given implements Connection {

        @Override
        public boolean owned() {
            return false;
        }

        @Override
        public CompletionStage<Void> close() {
            return CompletableFuture.completedFuture(null);
        }
    }

    private static final class OfCurator extends Given {

        private final CuratorFramework curator;
        private final AtomicReference<@Nullable CompletableFuture<ZooKeeper>> asked =
                new AtomicReference<>(); // while a thread asks

        OfCurator(CuratorFramework curator) {
            this.curator = curator;
        }

        /**
         * Asks on a thread of its own, one at a time, because the call may block: while the handle is not connected,
         * Curator asks the user's {@code EnsembleProvider}, and closes a handle that was not connected for long, which
         * may wait for a server.
         */
        @Override
        public CompletionStage<ZooKeeper> zooKeeper() {
            CompletableFuture<ZooKeeper> mine = new CompletableFuture<>();
            CompletableFuture<ZooKeeper> other = asked.compareAndExchange(null, mine);
            if (other != null) {
                return other;
            }
            try {
                DaemonThreads.start(() -> ask(mine), "wellkeeper-zookeeper-curator");
            } catch (Throwable none) { // there is no room for another thread
                asked.set(null);
                mine.completeExceptionally(none);
            }
            return mine;
        }

        private void ask(CompletableFuture<ZooKeeper> answer) {
            try {
                if (curator.getState() != CuratorFrameworkState.STARTED) {
                    throw new StoreRefusalException("the CuratorFramework that was given is " + curator.getState());
                }
                ZooKeeper zooKeeper = curator.getZookeeperClient().getZooKeeper();
                asked.set(null);
                answer.complete(zooKeeper);
            } catch (Throwable none) {
                asked.set(null);
                answer.completeExceptionally(none);
            }
        }

        @Override
        public Optional<Registration> onState(Consumer<KeeperState> listener) {
            CuratorListener registered = (client, event) -> {
                WatchedEvent watched = event.getWatchedEvent();
                if (event.getType() == CuratorEventType.WATCHED && watched.getType() == EventType.None) {
                    listener.accept(watched.getState());
                }
            };
            Listenable<CuratorListener> events;
            try {
                events = curator.getCuratorListenable();
            } catch (UnsupportedOperationException inAnotherNamespace) {
                return Optional.empty(); // it tells as little as a plain handle
            }
            events.addListener(registered);
            return Optional.of(() -> events.removeListener(registered));
        }
    }
}
