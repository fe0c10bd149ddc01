package io.wellkeeper.zookeeper;

import io.wellkeeper.LockStoreException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.ZKConfig;

/**
 * Limits the nodes of one session. When the session ends, the servers write the paths of all its nodes into one
 * transaction. No server can read a transaction longer than twice its {@code jute.maxbuffer}: no follower accepts it,
 * and no server restarts with it. The client's own setting, if there is one, is taken for that of the servers.
 */
final class Room {

    private static final int DEFAULT_BUFFER = 0xfffff; // ZooKeeper's
    private static final int LENGTH = 4; // of the number that goes before each path
    private static final int BESIDE = 1_024; // for an era, and for what else the transaction says

    private final String address;
    private final long most;
    private final Map<Object, Integer> sizes = new ConcurrentHashMap<>(); // of what is there, or asked for
    private final AtomicLong taken = new AtomicLong(); // all of them together

    Room(String address, ZKClientConfig config) {
        this.address = address;
        int buffer = config.getInt(ZKConfig.JUTE_MAXBUFFER, DEFAULT_BUFFER);
        this.most = 2L * (buffer == ZooKeeperUri.ROOMY_BUFFER ? DEFAULT_BUFFER : buffer) - BESIDE;
    }

    /** The room that a node takes. */
    static int sizeOf(String path) {
        return path.getBytes(StandardCharsets.UTF_8).length + LENGTH;
    }

    /**
     * Makes room for a node.
     *
     * @param key names the node in {@link #leave}
     * @throws LockStoreException if there is none until others have left
     */
    void enter(Object key, int size) {
        if (stay(key, size) > most) {
            leave(key);
            throw new LockStoreException("ZooKeeper at " + address + ": this session has nodes whose paths take "
                    + taken.get()
                    + " bytes; with more, the servers could not end it, unless their jute.maxbuffer, and that of"
                    + " this client, is larger");
        }
    }

    /**
     * The same for a node that is there already.
     *
     * @return the room that all take now
     */
    long stay(Object key, int size) {
        Integer before = sizes.put(key, size);
        return taken.addAndGet(before == null ? size : size - before);
    }

    /** May be called again. */
    void leave(Object key) {
        Integer size = sizes.remove(key);
        if (size != null) {
            taken.addAndGet(-size);
        }
    }
}
