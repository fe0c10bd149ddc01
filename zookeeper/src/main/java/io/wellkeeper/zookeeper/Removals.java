package io.wellkeeper.zookeeper;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntConsumer;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * The removals of nodes that are likely to be followed by the creation of others. Each is put off until a timer's thread
 * has got round to sending it, some microseconds later; a node that is created before that takes all of them along, in one
 * transaction.
 * So a lock that is taken again and again, and many that are taken by turns, cost the servers one write to their disks
 * for a removal and a creation, not two.
 *
 * <p>Whatever else is sent waits until they are gone: requests leave in the order of the calls.
 */
final class Removals {

    /** How long a removal waits for a creation to go along with: others may be waiting for it. */
    static final Duration PATIENCE = Duration.ofNanos(50_000);

    /** The same for a ticket that was alone, and followed upon another one. */
    static final Duration LONG_PATIENCE = Duration.ofNanos(250_000);

    private static final int TOGETHER = 16; // so that a transaction stays small

    /**
     * A node to be removed.
     *
     * @param sole the fencing token of a ticket that was seen to be alone in its queue, and the last to come
     * @param answered given ZooKeeper's answer, on its event thread
     */
    record Removal(String node, OptionalLong sole, IntConsumer answered) {}

    /** Told what has become of nodes that were to be created. */
    interface Created {
        /**
         * @param code ZooKeeper's answer; anything but OK, if the outcome is known, says that nothing was done
         * @param along what was removed with it
         * @param nodes what was created; empty if nothing was
         */
        void answered(int code, List<Removal> along, List<OpResult> nodes);
    }

    private final ZooKeeper zooKeeper;
    private final ReentrantLock lock = new ReentrantLock(); // held until what was put off is sent
    private final Queue<Removal> putOff = new ArrayDeque<>();
    private volatile boolean some; // are put off

    Removals(ZooKeeper zooKeeper) {
        this.zooKeeper = zooKeeper;
    }

    /** Puts a removal off. It is {@link #overdue} soon. */
    void putOff(Removal removal) {
        lock.lock();
        try {
            putOff.add(removal);
            some = true;
        } finally {
            lock.unlock();
        }
    }

    /** A removal has waited long enough: if it is still put off, all are sent. */
    void overdue(Removal removal) {
        lock.lock();
        try {
            if (putOff.contains(removal)) {
                send();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Sends what is put off, each removal for itself. */
    void send() {
        if (some) {
            lock.lock();
            try {
                putOff.forEach(this::send);
                clear();
            } finally {
                lock.unlock();
            }
        }
    }

    /**
     * Sends what is put off together with the creation of nodes.
     *
     * @return what goes along; if that is nothing, nothing was sent
     */
    List<Removal> sendWith(List<Op> create, Created created) {
        if (!some) {
            return List.of();
        }
        lock.lock();
        try {
            if (putOff.isEmpty() || putOff.size() > TOGETHER) {
                return List.of();
            }
            List<Removal> removals = List.copyOf(putOff);
            List<Op> transaction = new ArrayList<>();
            removals.forEach(removal -> transaction.add(Op.delete(removal.node(), -1)));
            transaction.addAll(create);
            zooKeeper.multi(
                    transaction, (code, path, context, results) -> answered(removals, code, results, created), null);
            clear();
            return removals;
        } finally {
            lock.unlock();
        }
    }

    private void answered(List<Removal> removals, int code, @Nullable List<OpResult> results, Created created) {
        if (code == Code.OK.intValue() || Link.unknown(code)) {
            removals.forEach(removal -> removal.answered().accept(code));
        } else {
            removals.forEach(this::send); // one of them, or the new node, has spoilt it for all
        }
        List<OpResult> made = code == Code.OK.intValue() && results != null
                ? results.subList(removals.size(), results.size())
                : List.of();
        created.answered(code, removals, made);
    }

    private void send(Removal removal) {
        zooKeeper.delete(
                removal.node(), -1, (code, path, context) -> removal.answered().accept(code), null);
    }

    private void clear() {
        putOff.clear();
        some = false;
    }
}
