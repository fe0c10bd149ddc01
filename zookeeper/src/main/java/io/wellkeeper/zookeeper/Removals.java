package io.wellkeeper.zookeeper;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntConsumer;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * The removals of nodes that nobody was seen to wait for. Each is put off until a timer's thread has got round to
 * sending it, some microseconds later; a node that is created before that takes all of them along, in one transaction.
 * So a lock that is taken again and again, and many that are taken by turns, cost the servers one write to their disks
 * for a removal and a creation, not two.
 *
 * <p>Whatever else is sent waits until they are gone: requests leave in the order of the calls.
 */
final class Removals {

    private static final int TOGETHER = 16; // so that a transaction stays small

    private record Removal(String node, IntConsumer answered) {}

    /** Told what has become of a node that was to be created. */
    interface Created {
        /**
         * @param code ZooKeeper's answer; anything but OK, if the outcome is known, says that nothing was done
         * @param node its path, with its number; null if it was not created
         */
        void answered(int code, @Nullable String node);
    }

    private final ZooKeeper zooKeeper;
    private final ReentrantLock lock = new ReentrantLock(); // held until what was put off is sent
    private final Queue<Removal> putOff = new ArrayDeque<>();
    private volatile boolean some; // are put off

    Removals(ZooKeeper zooKeeper) {
        this.zooKeeper = zooKeeper;
    }

    /**
     * Puts a removal off.
     *
     * @param answered given ZooKeeper's answer, on its event thread
     * @return whether it is the first, so that {@link #send} is to be called soon
     */
    boolean putOff(String node, IntConsumer answered) {
        lock.lock();
        try {
            boolean first = putOff.isEmpty();
            putOff.add(new Removal(node, answered));
            some = true;
            return first;
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
     * @param create the last one is answered for
     * @return false if nothing is put off; then nothing was sent
     */
    boolean sendWith(List<Op> create, Created created) {
        if (!some) {
            return false;
        }
        lock.lock();
        try {
            if (putOff.isEmpty() || putOff.size() > TOGETHER) {
                return false;
            }
            List<Removal> removals = List.copyOf(putOff);
            List<Op> transaction = new ArrayList<>();
            removals.forEach(removal -> transaction.add(Op.delete(removal.node(), -1)));
            transaction.addAll(create);
            zooKeeper.multi(
                    transaction, (code, path, context, results) -> answered(removals, code, results, created), null);
            clear();
            return true;
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
        OpResult last = code == Code.OK.intValue() && results != null ? results.get(results.size() - 1) : null;
        created.answered(code, last instanceof OpResult.CreateResult result ? result.getPath() : null);
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
