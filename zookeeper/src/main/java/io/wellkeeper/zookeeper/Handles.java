package io.wellkeeper.zookeeper;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.curator.utils.DefaultZookeeperFactory;
import org.apache.curator.utils.ZookeeperFactory;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;

/**
 * Makes the handles of one Curator client, and closes them all. Curator makes another one when a session has expired; if
 * it is closed at that moment, the new one would stay, and its session with it.
 */
final class Handles implements ZookeeperFactory {

    private final ZookeeperFactory maker = new DefaultZookeeperFactory();
    private final ReentrantLock lock = new ReentrantLock(); // guards the two below
    private final Set<ZooKeeper> open = new HashSet<>();
    private boolean closed;

    @Override
    public ZooKeeper newZooKeeper(String hosts, int timeoutMillis, Watcher watcher, boolean readOnly) throws Exception {
        return kept(maker.newZooKeeper(hosts, timeoutMillis, watcher, readOnly));
    }

    @Override
    public ZooKeeper newZooKeeper(
            String hosts, int timeoutMillis, Watcher watcher, boolean readOnly, ZKClientConfig config)
            throws Exception {
        return kept(maker.newZooKeeper(hosts, timeoutMillis, watcher, readOnly, config));
    }

    private ZooKeeper kept(ZooKeeper made) throws InterruptedException {
        boolean late;
        lock.lock();
        try {
            open.removeIf(handle -> !handle.getState().isAlive());
            late = closed;
            if (!late) {
                open.add(made);
            }
        } finally {
            lock.unlock();
        }
        if (late) {
            made.close();
        }
        return made;
    }

    /** Closes those there are, and whatever is made from now on. Waits for the server, if there is a connection. */
    void close() {
        List<ZooKeeper> left;
        lock.lock();
        try {
            closed = true;
            left = List.copyOf(open);
            open.clear();
        } finally {
            lock.unlock();
        }
        for (ZooKeeper handle : left) {
            try {
                handle.close();
            } catch (InterruptedException nobodyDoes) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
