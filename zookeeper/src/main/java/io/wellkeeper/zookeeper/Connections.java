package io.wellkeeper.zookeeper;

import io.wellkeeper.Registration;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.CuratorEventType;
import org.apache.curator.framework.api.CuratorListener;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;

/** The kinds of {@link Connection}. */
final class Connections {

    private Connections() {}

    /** A connection of our own, which ends when it is closed. */
    static Connection own(ZooKeeperUri uri, Duration sessionTimeout) {
        Handles handles = new Handles();
        CuratorFrameworkFactory.Builder builder = CuratorFrameworkFactory.builder()
                .zookeeperFactory(handles)
                .connectString(uri.hosts())
                .sessionTimeoutMs(Math.toIntExact(Math.min(sessionTimeout.toMillis(), Integer.MAX_VALUE)))
                .retryPolicy(new RetryOneTime(1)) // Curator is asked for nothing that it could retry
                .ensembleTracker(false)
                .zkClientConfig(uri.clientConfig());
        uri.digest().ifPresent(digest -> builder.authorization("digest", digest));
        CuratorFramework curator = builder.build();
        curator.start();
        return new OfCurator(curator, Optional.of(handles), uri.hosts());
    }

    /** The user's. */
    static Connection of(CuratorFramework curator) {
        return new OfCurator(curator, Optional.empty(), "");
    }

    /** The user's. Nothing tells of its state but the answers to requests. */
    static Connection of(ZooKeeper zooKeeper) {
        return new Connection() {
            @Override
            public ZooKeeper zooKeeper() {
                return zooKeeper;
            }

            @Override
            public Registration onState(Consumer<KeeperState> listener) {
                return Registration.NONE;
            }

            @Override
            public boolean owned() {
                return false;
            }

            @Override
            public CompletionStage<Void> close() {
                return CompletableFuture.completedFuture(null);
            }
        };
    }

    /**
     * By Curator.
     *
     * @param handles that are our own
     * @param hosts of our own handles
     */
    private record OfCurator(CuratorFramework curator, Optional<Handles> handles, String hosts) implements Connection {

        @Override
        public CompletionStage<String> unknownHosts() {
            CompletableFuture<String> unknown = new CompletableFuture<>();
            if (hosts.isEmpty()) {
                unknown.complete("");
                return unknown;
            }
            Thread asking = new Thread( // name servers may be slow
                    () -> unknown.complete(
                            Arrays.stream(hosts.split(",", -1)).anyMatch(OfCurator::hasAddress) ? "" : hosts),
                    "wellkeeper-zookeeper-hosts");
            asking.setDaemon(true);
            asking.start();
            return unknown;
        }

        private static boolean hasAddress(String hostAndPort) {
            int port = hostAndPort.lastIndexOf(':');
            boolean without = port < 0 || hostAndPort.indexOf(']', port) >= 0;
            try {
                return InetAddress.getByName(without ? hostAndPort : hostAndPort.substring(0, port)) != null;
            } catch (UnknownHostException nobodyKnows) {
                return false;
            }
        }

        @Override
        public boolean owned() {
            return handles.isPresent();
        }

        @Override
        public ZooKeeper zooKeeper() throws Exception {
            return curator.getZookeeperClient().getZooKeeper();
        }

        @Override
        public Registration onState(Consumer<KeeperState> listener) {
            CuratorListener registered = (client, event) -> {
                WatchedEvent watched = event.getWatchedEvent();
                if (event.getType() == CuratorEventType.WATCHED && watched.getType() == EventType.None) {
                    listener.accept(watched.getState());
                }
            };
            curator.getCuratorListenable().addListener(registered);
            return () -> curator.getCuratorListenable().removeListener(registered);
        }

        @Override
        public CompletionStage<Void> close() {
            if (handles.isEmpty()) {
                return CompletableFuture.completedFuture(null);
            }
            CompletableFuture<Void> closed = new CompletableFuture<>();
            Thread closing = new Thread( // it waits for the server, so not on the caller's thread
                    () -> {
                        try {
                            curator.close();
                        } finally {
                            handles.get().close();
                            closed.complete(null);
                        }
                    },
                    "wellkeeper-zookeeper-close");
            closing.setDaemon(true);
            closing.start();
            return closed;
        }
    }
}
