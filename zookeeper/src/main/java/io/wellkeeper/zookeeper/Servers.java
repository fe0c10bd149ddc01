package io.wellkeeper.zookeeper;

import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.client.ConnectStringParser;
import org.apache.zookeeper.client.HostProvider;
import org.apache.zookeeper.client.StaticHostProvider;

/**
 * The servers of one handle, and when it began to connect to the one that it is connected to. ZooKeeper's client asks for a
 * server before each attempt, on the thread that connects, and tells of success there before it queues the event.
 *
 * <p>Between two rounds it pauses for less than ZooKeeper's own second; the random part of a second, which keeps many
 * clients from coming at once, it leaves as it is.
 */
final class Servers implements HostProvider {

    private static final long PAUSE_MILLIS = 100;

    private final HostProvider servers;
    private final Queue<Long> connected = new ConcurrentLinkedQueue<>(); // begun then, and not told of yet
    private long begun; // the last attempt; used on the thread that connects
    private volatile OptionalLong since = OptionalLong.empty(); // written on the event thread

    Servers(String hosts) {
        this.servers = new StaticHostProvider(new ConnectStringParser(hosts).getServerAddresses());
    }

    /**
     * A moment before the handle began the connection of the last event about one; valid while a watcher is called.
     * Empty if there was no such event.
     */
    OptionalLong connectedSince() {
        return since;
    }

    /** The same watcher, told of events when {@link #connectedSince} is right. */
    Watcher before(Watcher watcher) {
        return event -> {
            if (isConnect(event)) {
                Long next = connected.poll();
                since = next == null ? OptionalLong.empty() : OptionalLong.of(next);
            }
            watcher.process(event);
        };
    }

    private static boolean isConnect(WatchedEvent event) {
        return event.getType() == Watcher.Event.EventType.None
                && (event.getState() == Watcher.Event.KeeperState.SyncConnected
                        || event.getState() == Watcher.Event.KeeperState.ConnectedReadOnly);
    }

    @Override
    public int size() {
        return servers.size();
    }

    @Override
    public InetSocketAddress next(long spinDelay) {
        InetSocketAddress next = servers.next(Math.min(spinDelay, PAUSE_MILLIS));
        begun = System.nanoTime();
        return next;
    }

    @Override
    public void onConnected() {
        servers.onConnected();
        connected.add(begun);
    }

    /**
     * Keeps the servers. The caller wants another one of them, so the result says that the connection is to be closed.
     */
    @Override
    public boolean updateServerList(Collection<InetSocketAddress> addresses, InetSocketAddress current) {
        return true;
    }
}
