package io.wellkeeper.zookeeper;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.AsyncCallback.Children2Callback;
import org.apache.zookeeper.AsyncCallback.ChildrenCallback;
import org.apache.zookeeper.AsyncCallback.Create2Callback;
import org.apache.zookeeper.AsyncCallback.DataCallback;
import org.apache.zookeeper.AsyncCallback.MultiCallback;
import org.apache.zookeeper.AsyncCallback.StatCallback;
import org.apache.zookeeper.AsyncCallback.StringCallback;
import org.apache.zookeeper.AsyncCallback.VoidCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.WatcherType;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one session. At most {@link #SIZE} of them are under way; the others wait for their turn, in the
 * order of the calls. A server answers the requests of a connection in their order. A heartbeat, which bypasses this
 * window, so waits only for the requests that are under way, however many locks are requested at once.
 *
 * <p>The methods are those of {@link ZooKeeper}.
 */
final class RequestWindow {

    /** Enough to keep a server busy, and few enough to be answered in a fraction of a second by one that is slow. */
    static final int SIZE = 128;

    /** Called for each answer, on ZooKeeper's event thread, before the request's own callback. */
    interface Heard {

        /**
         * @param code ZooKeeper's answer
         * @param sent when the request was sent
         */
        void answered(int code, long sent);
    }

    private final ZooKeeper zooKeeper;
    private final Heard heard;
    private final Queue<Turn> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger underWay = new AtomicInteger();
    private final AtomicInteger calls = new AtomicInteger(); // of sendWhatFits and enter, since a thread began to send

    RequestWindow(ZooKeeper zooKeeper, Heard heard) {
        this.zooKeeper = zooKeeper;
        this.heard = heard;
    }

    /** One request. */
    private final class Turn {

        private Runnable request = () -> {};
        private long sent;

        void await(Runnable request) {
            this.request = request;
            waiting.add(this);
            sendWhatFits();
        }

        void begin() {
            boolean begun = false;
            underWay.incrementAndGet();
            sent = System.nanoTime();
            try {
                request.run();
                begun = true;
            } finally {
                if (!begun) { // ZooKeeper's client threw an exception; the other requests go on
                    underWay.decrementAndGet();
                    calls.set(0);
                }
            }
        }

        void answered(int code) {
            heard.answered(code, sent);
            over();
        }

        void over() {
            underWay.decrementAndGet();
            sendWhatFits();
        }
    }

    /** One thread at a time sends, for all threads: so the order is kept, and no thread waits for another. */
    private void sendWhatFits() {
        if (calls.getAndIncrement() == 0) {
            serve();
        }
    }

    /**
     * Adds requests to the waiting ones, one after the other, and sends none of them yet. So the caller may hold a
     * lock, although a closed handle answers at once.
     *
     * @return sends the requests; the caller runs it after it has released the lock
     */
    Runnable enter(Runnable requests) {
        boolean nobodySends = calls.getAndIncrement() == 0;
        requests.run();
        return nobodySends ? this::serve : () -> {};
    }

    private void serve() {
        int served = 1;
        do {
            while (underWay.get() < SIZE) {
                Turn next = waiting.poll();
                if (next == null) {
                    break;
                }
                next.begin();
            }
            served = calls.addAndGet(-served);
        } while (served > 0);
    }

    void create(
            String path, byte[] data, List<ACL> acl, CreateMode mode, StringCallback answer, @Nullable Object context) {
        Turn turn = new Turn();
        StringCallback all = (code, p, c, name) -> {
            turn.answered(code);
            answer.processResult(code, p, c, name);
        };
        turn.await(() -> zooKeeper.create(path, data, acl, mode, all, context));
    }

    void create(
            String path,
            byte[] data,
            List<ACL> acl,
            CreateMode mode,
            Create2Callback answer,
            @Nullable Object context) {
        Turn turn = new Turn();
        Create2Callback all = (code, p, c, name, stat) -> {
            turn.answered(code);
            answer.processResult(code, p, c, name, stat);
        };
        turn.await(() -> zooKeeper.create(path, data, acl, mode, all, context));
    }

    void delete(String path, int version, VoidCallback answer, @Nullable Object context) {
        Turn turn = new Turn();
        turn.await(() -> zooKeeper.delete(path, version, then(turn, answer), context));
    }

    void multi(List<Op> operations, MultiCallback answer, @Nullable Object context) {
        Turn turn = new Turn();
        MultiCallback all = (code, p, c, results) -> {
            turn.answered(code);
            answer.processResult(code, p, c, results);
        };
        turn.await(() -> zooKeeper.multi(operations, all, context));
    }

    void getChildren(String path, Watcher watcher, ChildrenCallback answer, @Nullable Object context) {
        Turn turn = new Turn();
        ChildrenCallback all = (code, p, c, children) -> {
            turn.answered(code);
            answer.processResult(code, p, c, children);
        };
        turn.await(() -> zooKeeper.getChildren(path, watcher, all, context));
    }

    void getChildren(String path, boolean watch, ChildrenCallback answer, @Nullable Object context) {
        Turn turn = new Turn();
        ChildrenCallback all = (code, p, c, children) -> {
            turn.answered(code);
            answer.processResult(code, p, c, children);
        };
        turn.await(() -> zooKeeper.getChildren(path, watch, all, context));
    }

    void getChildren(String path, boolean watch, Children2Callback answer, @Nullable Object context) {
        Turn turn = new Turn();
        Children2Callback all = (code, p, c, children, stat) -> {
            turn.answered(code);
            answer.processResult(code, p, c, children, stat);
        };
        turn.await(() -> zooKeeper.getChildren(path, watch, all, context));
    }

    void exists(String path, Watcher watcher, StatCallback answer, @Nullable Object context) {
        Turn turn = new Turn();
        turn.await(() -> zooKeeper.exists(path, watcher, then(turn, answer), context));
    }

    void exists(String path, boolean watch, StatCallback answer, @Nullable Object context) {
        Turn turn = new Turn();
        turn.await(() -> zooKeeper.exists(path, watch, then(turn, answer), context));
    }

    void getData(String path, Watcher watcher, DataCallback answer, @Nullable Object context) {
        Turn turn = new Turn();
        turn.await(() -> zooKeeper.getData(path, watcher, then(turn, answer), context));
    }

    void getData(String path, boolean watch, DataCallback answer, @Nullable Object context) {
        Turn turn = new Turn();
        turn.await(() -> zooKeeper.getData(path, watch, then(turn, answer), context));
    }

    void setData(String path, byte[] data, int version, StatCallback answer, @Nullable Object context) {
        Turn turn = new Turn();
        turn.await(() -> zooKeeper.setData(path, data, version, then(turn, answer), context));
    }

    void sync(String path, VoidCallback answer, @Nullable Object context) {
        Turn turn = new Turn();
        turn.await(() -> zooKeeper.sync(path, then(turn, answer), context));
    }

    void addWatch(String path, Watcher watcher, AddWatchMode mode, VoidCallback answer, @Nullable Object context) {
        Turn turn = new Turn();
        turn.await(() -> zooKeeper.addWatch(path, watcher, mode, then(turn, answer), context));
    }

    /**
     * Never {@code local}: with it, if the connection is lost, ZooKeeper's client answers that the watches are gone,
     * and tells nobody else that the connection was lost.
     */
    void removeAllWatches(String path, WatcherType type, VoidCallback answer, @Nullable Object context) {
        Turn turn = new Turn();
        VoidCallback all = (code, p, c) -> {
            if (code == Code.NOWATCHER.intValue()) { // the client's own answer; the connection may be lost
                turn.over();
            } else {
                turn.answered(code);
            }
            answer.processResult(code, p, c);
        };
        turn.await(() -> zooKeeper.removeAllWatches(path, type, false, all, context));
    }

    private static VoidCallback then(Turn turn, VoidCallback answer) {
        return (code, path, context) -> {
            turn.answered(code);
            answer.processResult(code, path, context);
        };
    }

    private static StatCallback then(Turn turn, StatCallback answer) {
        return (code, path, context, stat) -> {
            turn.answered(code);
            answer.processResult(code, path, context, stat);
        };
    }

    private static DataCallback then(Turn turn, DataCallback answer) {
        return (code, path, context, data, stat) -> {
            turn.answered(code);
            answer.processResult(code, path, context, data, stat);
        };
    }
}
