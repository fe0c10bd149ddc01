package io.wellkeeper.zookeeper;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.IntConsumer;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.jspecify.annotations.Nullable;

/**
 * The removals of nodes that are likely to be followed by the creation of others. Each removal is put off for a moment.
 * If a node is created within that time, its creation and all pending removals go in one transaction. So a lock that is
 * taken again and again, or several locks that are taken in turn, cost the servers one write to their disks for a
 * removal and a creation, not two.
 *
 * <p>Every other request sends the pending removals first: requests leave in the order of the calls.
 */
final class Removals {

    /** How long a removal is put off as a rule; short, because other clients may be waiting for it. */
    static final Duration PATIENCE = Duration.ofNanos(50_000);

    /**
     * A take that comes within this time after a removal that was sent at once would come sooner if nothing had been
     * sent.
     */
    static final Duration SOON = Duration.ofNanos(200_000);

    private static final Duration MOST_PATIENCE = Duration.ofMillis(2); // as long as a write to the servers takes

    private static final int TOGETHER = 16; // so that a transaction stays small

    /**
     * A node to be removed.
     *
     * @param patience how long it may be put off
     * @param sole the fencing token of a ticket that was seen to be alone in its queue, and the last to come
     * @param answered given ZooKeeper's answer, on its event thread
     */
    record Removal(String node, Duration patience, OptionalLong sole, IntConsumer answered) {}

    /** Called with the result of a creation of nodes. */
    interface Created {
        /**
         * @param code ZooKeeper's answer; anything but OK, if the outcome is known, says that nothing was done
         * @param along the removals in the same transaction
         * @param nodes the results of the creations; empty if nothing was created
         */
        void answered(int code, List<Removal> along, List<OpResult> nodes);
    }

    private final RequestWindow requests;
    private final BiConsumer<Duration, Runnable> timer;
    private final ReentrantLock lock =
            new ReentrantLock(); // held until the removals have their turns, not while they are sent
    private final Queue<Removal> putOff = new ArrayDeque<>();
    private volatile boolean some; // some removals are put off, and have no turn yet
    private long due; // when these are to be sent at the latest
    private @Nullable Alarm alarm; // the next one; kept when all are sent, because waking the timer's thread is costly

    private record Alarm(long nanos) {}

    /**
     * @param timer runs something later, on a thread of its own
     */
    Removals(RequestWindow requests, BiConsumer<Duration, Runnable> timer) {
        this.requests = requests;
        this.timer = timer;
    }

    /**
     * The patience for a ticket that was alone, and whose take followed a removal with this patience: twice as much, up
     * to a limit.
     */
    static Duration longer(Duration patience) {
        return Durations.twice(patience, MOST_PATIENCE);
    }

    /** Sends a removal when its patience is over, unless something else is sent before. */
    void putOff(Removal removal) {
        lock.lock();
        try {
            long now = System.nanoTime();
            long over = now + removal.patience().toNanos();
            due = putOff.isEmpty() || over - due < 0 ? over : due;
            putOff.add(removal);
            some = true;
            if (alarm == null || due - alarm.nanos < 0) {
                setAlarm(now);
            }
        } finally {
            lock.unlock();
        }
    }

    private void setAlarm(long now) {
        Alarm next = new Alarm(due);
        alarm = next;
        timer.accept(Duration.ofNanos(due - now), () -> goOff(next));
    }

    private void goOff(Alarm which) {
        lock.lock();
        try {
            if (which != alarm) {
                return; // an earlier alarm has replaced this one
            }
            alarm = null;
            long now = System.nanoTime();
            if (some && due - now > 0) {
                setAlarm(now);
                return;
            }
        } finally {
            lock.unlock();
        }
        send();
    }

    /** Sends what is put off, each removal for itself. */
    void send() {
        if (some) {
            Runnable sending;
            lock.lock();
            try {
                sending = requests.enter(() -> putOff.forEach(this::send));
                clear();
            } finally {
                lock.unlock();
            }
            sending.run();
        }
    }

    /**
     * Sends what is put off together with the creation of nodes.
     *
     * @return the removals in the transaction; if there are none, nothing was sent
     */
    List<Removal> sendWith(List<Op> create, Created created) {
        if (!some) {
            return List.of();
        }
        List<Removal> removals;
        Runnable sending;
        lock.lock();
        try {
            if (putOff.isEmpty() || putOff.size() > TOGETHER) {
                return List.of();
            }
            removals = List.copyOf(putOff);
            List<Op> transaction = new ArrayList<>();
            removals.forEach(removal -> transaction.add(Op.delete(removal.node(), -1)));
            transaction.addAll(create);
            sending = requests.enter(() -> requests.multi(
                    transaction, (code, path, context, results) -> answered(removals, code, results, created), null));
            clear();
        } finally {
            lock.unlock();
        }
        sending.run();
        return removals;
    }

    private void answered(List<Removal> removals, int code, @Nullable List<OpResult> results, Created created) {
        if (code == Code.OK.intValue() || Link.unknown(code)) {
            removals.forEach(removal -> removal.answered().accept(code));
        } else {
            removals.forEach(this::send); // one operation has failed, and with it the whole transaction
        }
        List<OpResult> made = code == Code.OK.intValue() && results != null
                ? results.subList(removals.size(), results.size())
                : List.of();
        created.answered(code, removals, made);
    }

    private void send(Removal removal) {
        requests.delete(
                removal.node(), -1, (code, path, context) -> removal.answered().accept(code), null);
    }

    private void clear() {
        putOff.clear();
        some = false;
    }
}
