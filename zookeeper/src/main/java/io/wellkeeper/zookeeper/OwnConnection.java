package io.wellkeeper.zookeeper;

import io.wellkeeper.Registration;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;

/**
 * A connection of our own, for one session. A plain handle keeps its session for a third longer than the timeout, so one
 * that is taken up again after an outage of about that length is still ours, with all that is to be given back.
 */
final class OwnConnection implements Connection {

    private final String hosts;
    private final Servers servers;
    private final List<Consumer<KeeperState>> listeners = new CopyOnWriteArrayList<>();
    private final ZooKeeper zooKeeper;

    OwnConnection(ZooKeeperUri uri, Duration sessionTimeout) {
        this.hosts = uri.hosts();
        this.servers = new Servers(hosts);
        try {
            this.zooKeeper = new ZooKeeper(
                    hosts,
                    Math.toIntExact(Math.min(sessionTimeout.toMillis(), Integer.MAX_VALUE)),
                    servers.before(this::tell),
                    false,
                    servers,
                    uri.clientConfig());
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        uri.digest().ifPresent(digest -> zooKeeper.addAuthInfo("digest", digest));
    }

    private void tell(WatchedEvent event) {
        if (event.getType() == EventType.None) {
            listeners.forEach(listener -> listener.accept(event.getState()));
        }
    }

    @Override
    public CompletionStage<ZooKeeper> zooKeeper() {
        return CompletableFuture.completedFuture(zooKeeper);
    }

    @Override
    public Optional<Registration> onState(Consumer<KeeperState> listener) {
        listeners.add(listener);
        return Optional.of(() -> listeners.remove(listener));
    }

    @Override
    public OptionalLong connectedSince() {
        return servers.connectedSince();
    }

    @Override
    public CompletionStage<String> unknownHosts() {
        CompletableFuture<String> unknown = new CompletableFuture<>();
        DaemonThreads.start( // name servers may be slow
                () -> unknown.complete(
                        Arrays.stream(hosts.split(",", -1)).anyMatch(OwnConnection::hasAddress) ? "" : hosts),
                "wellkeeper-zookeeper-hosts");
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
    public boolean canLeaveServer() {
        return servers.size() > 1;
    }

    @Override
    public void leaveServer() {
        try {
            zooKeeper.updateServerList(hosts); // of which this is the effect: the connection is closed
            zooKeeper.exists(
                    "/", false, (code, path, context, stat) -> {}, null); // wakes the thread that finds it closed
        } catch (IOException closed) {
            // and so is the connection
        }
    }

    @Override
    public boolean owned() {
        return true;
    }

    @Override
    public CompletionStage<Void> close() {
        CompletableFuture<Void> closed = new CompletableFuture<>();
        DaemonThreads.start( // it waits for the server, so not on the caller's thread
                () -> {
                    try {
                        zooKeeper.close();
                    } catch (InterruptedException nobodyDoes) {
                        Thread.currentThread().interrupt();
                    } finally {
                        closed.complete(null);
                    }
                },
                "wellkeeper-zookeeper-close");
        return closed;
    }
}
