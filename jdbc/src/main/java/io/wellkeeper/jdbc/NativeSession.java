package io.wellkeeper.jdbc;

import io.wellkeeper.LockStoreException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A session of a database and the locks it holds, on one connection and one thread. It never connects again: when its
 * connection is of no use any more, the session has ended, and with it all its locks. While it holds a lock, it sends
 * the server a sign of life every twentieth of its time, and every 30 seconds at least. One sign answers all renewals
 * that were asked for before it was sent.
 */
final class NativeSession {

    private static final int SIGNS_OF_LIFE = 20;
    private static final long LONGEST_QUIET_NANOS = Duration.ofSeconds(30).toNanos(); // for the network's sake

    private record Held(String name, String key, long end) {

        /** The lock held until a later time, never an earlier one. */
        Held until(long later) {
            return later - end > 0 ? new Held(name, key, later) : this;
        }
    }

    private record Request(boolean acquires, String name, String owner, long end, CompletableFuture<Boolean> result) {}

    private record Renewal(String owner, CompletableFuture<Boolean> result) {}

    /** Something for the thread to do. */
    private interface Job {
        void run(NativeConnection server) throws SQLException;
    }

    private interface Statement {
        void run() throws SQLException;
    }

    private final Database.Source source;
    private final String address;
    private final Duration usual; // silence that the server shall bear, unless a lease was extended
    private final Consumer<NativeSession> ending; // told when it has ended, at least once
    private final ReentrantLock lock = new ReentrantLock(); // guards all below
    private final Condition changed = lock.newCondition();
    private final Deque<Request> line = new ArrayDeque<>();
    private final Set<String> asking = new HashSet<>(); // the owners of requests in the line or under way
    private final Map<String, Held> held = new HashMap<>(); // by owner
    private List<Renewal> renewals = new ArrayList<>();
    private Duration silence; // that the server shall bear
    private @Nullable NativeConnection connection;
    private @Nullable Request underWay;
    private boolean started;
    private boolean ended;

    /**
     * Nothing is sent yet.
     *
     * @param silence after which the server shall end the session
     * @param ending told when it has ended, at least once
     */
    NativeSession(Database.Source source, String address, Duration silence, Consumer<NativeSession> ending) {
        this.source = source;
        this.address = address;
        this.usual = silence;
        this.silence = silence;
        this.ending = ending;
    }

    /** Whether an owner has a lock of this session, or may get one. */
    boolean knows(String owner) {
        lock.lock();
        try {
            return held.containsKey(owner) || asking.contains(owner);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Asks for a lock once.
     *
     * @return empty if this session has ended
     */
    Optional<CompletableFuture<Boolean>> tryAcquire(String name, String owner, Duration ttl) {
        long end = System.nanoTime() + ttl.toNanos();
        return send(new Request(true, name, owner, end, new CompletableFuture<>()));
    }

    /**
     * Gives a lock back.
     *
     * @return empty if this session has ended, and the lock with it
     */
    Optional<CompletableFuture<Boolean>> release(String name, String owner) {
        return send(new Request(false, name, owner, 0, new CompletableFuture<>()));
    }

    private Optional<CompletableFuture<Boolean>> send(Request request) {
        lock.lock();
        try {
            if (ended) {
                return Optional.empty();
            }
            line.add(request);
            if (request.acquires) {
                asking.add(request.owner);
            }
            if (!started) {
                started = true;
                Thread thread = new Thread(this::work, "wellkeeper-jdbc-native");
                thread.setDaemon(true);
                thread.start();
            }
            changed.signal();
            return Optional.of(request.result);
        } finally {
            lock.unlock();
        }
    }

    /** Extends a lease; the answer of the next statement answers this too. */
    CompletableFuture<Boolean> renew(String name, String owner, Duration ttl) {
        long now = System.nanoTime();
        lock.lock();
        try {
            Held lease = held.get(owner);
            if (lease == null || !lease.name.equals(name) || lease.end - now <= 0) {
                return CompletableFuture.completedFuture(false);
            }
            held.put(owner, lease.until(now + ttl.toNanos()));
            if (ttl.compareTo(silence) > 0) {
                silence = ttl;
            }
            Renewal renewal = new Renewal(owner, new CompletableFuture<>());
            renewals.add(renewal);
            changed.signal();
            return renewal.result;
        } finally {
            lock.unlock();
        }
    }

    private void work() {
        try {
            NativeConnection server = NativeConnection.open(source, silence);
            if (adopt(server)) {
                for (Job job = next(server); job != null; job = next(server)) {
                    job.run(server);
                }
            }
            end(closed());
        } catch (InterruptedException failure) {
            end(new LockStoreException("the session at " + address + " was ended by " + failure, failure));
        } catch (Throwable failure) { // a driver that is missing makes for an Error
            end(Failures.answer(address, failure));
        }
    }

    private boolean adopt(NativeConnection server) {
        lock.lock();
        try {
            connection = server;
            return !ended;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until there is something to send, and returns it; null when the session has ended. */
    private @Nullable Job next(NativeConnection server) throws InterruptedException {
        lock.lock();
        try {
            while (!ended) {
                long now = System.nanoTime();
                Held expired = takeExpired(now);
                if (expired != null) {
                    return by -> carryOut(by, () -> by.unlock(expired.key));
                }
                Request request = line.poll();
                if (request != null) {
                    underWay = request;
                    return by -> serve(request, by);
                }
                long quiet = Math.min(server.silence().toNanos() / SIGNS_OF_LIFE, LONGEST_QUIET_NANOS);
                long left = (held.isEmpty() ? server.silence().toNanos() / 2 : quiet) - (now - server.lastSign());
                if (left <= 0 && held.isEmpty()) {
                    ended = true;
                    return null;
                }
                if (left <= 0) {
                    return by -> carryOut(by, by::pulse);
                }
                for (Held lease : held.values()) {
                    left = Math.min(left, lease.end - now);
                }
                changed.awaitNanos(left);
            }
            return null;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Forgets one lock whose lease was not renewed in time, and returns it; null if there is none. Called under the
     * lock.
     */
    private @Nullable Held takeExpired(long now) {
        for (Map.Entry<String, Held> lease : held.entrySet()) {
            if (lease.getValue().end - now <= 0) {
                held.remove(lease.getKey());
                return lease.getValue();
            }
        }
        return null;
    }

    private void serve(Request request, NativeConnection server) throws SQLException {
        boolean done = request.acquires ? acquire(request, server) : release(request, server);
        lock.lock();
        try {
            underWay = null;
            asking.remove(request.owner);
        } finally {
            lock.unlock();
        }
        request.result.complete(done);
    }

    private boolean acquire(Request request, NativeConnection server) throws SQLException {
        String key = server.key(request.name);
        boolean again;
        lock.lock();
        try {
            Held before = held.get(request.owner);
            again = before != null && before.name.equals(request.name);
            if (before != null && again) {
                held.put(request.owner, before.until(request.end));
            } else if (held.values().stream().anyMatch(other -> other.key.equals(key))) {
                return false; // another owner has it; the server would give it to this session once more
            }
        } finally {
            lock.unlock();
        }
        if (again) {
            carryOut(server, server::pulse);
            return true;
        }
        boolean[] got = {false};
        carryOut(server, () -> got[0] = server.tryLock(key));
        if (got[0]) {
            lock.lock();
            try {
                held.put(request.owner, new Held(request.name, key, request.end));
            } finally {
                lock.unlock();
            }
        }
        return got[0];
    }

    private boolean release(Request request, NativeConnection server) throws SQLException {
        Held lease;
        lock.lock();
        try {
            lease = held.get(request.owner);
            if (lease == null || !lease.name.equals(request.name)) {
                return false;
            }
            held.remove(request.owner);
        } finally {
            lock.unlock();
        }
        carryOut(server, () -> server.unlock(lease.key));
        return true;
    }

    /** Carries out a statement, and answers the renewals that were asked for before it. */
    private void carryOut(NativeConnection server, Statement statement) throws SQLException {
        List<Renewal> before;
        Duration bearable;
        lock.lock();
        try {
            before = renewals;
            renewals = new ArrayList<>();
            long usualEnd = System.nanoTime() + usual.toNanos();
            if (held.values().stream().allMatch(lease -> lease.end - usualEnd <= 0)) {
                silence = usual;
            }
            bearable = silence;
        } finally {
            lock.unlock();
        }
        boolean answered = false;
        try {
            if (!bearable.equals(server.silence())) {
                server.limit(bearable);
            }
            statement.run();
            answered = true;
        } finally {
            for (Renewal renewal : before) {
                renewal.result.complete(answered && knows(renewal.owner));
            }
        }
    }

    private void end(LockStoreException reason) {
        NativeConnection last;
        List<Request> unanswered;
        List<Renewal> lost;
        lock.lock();
        try {
            ended = true;
            last = connection;
            unanswered = new ArrayList<>(line);
            if (underWay != null) {
                unanswered.add(0, underWay);
                underWay = null;
            }
            line.clear();
            asking.clear();
            held.clear();
            lost = renewals;
            renewals = new ArrayList<>();
            changed.signal();
        } finally {
            lock.unlock();
        }
        ending.accept(this);
        lost.forEach(renewal -> renewal.result.complete(false));
        unanswered.stream()
                .filter(request -> !request.acquires)
                .forEach(request -> request.result.complete(false)); // their locks ended with the session
        unanswered.forEach(request -> request.result.completeExceptionally(reason));
        if (last != null) {
            last.abort();
        }
    }

    /** Whether this session has ever been connected. */
    boolean wasConnected() {
        lock.lock();
        try {
            return connection != null;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Ends the session, without waiting for the server; unanswered acquisitions fail, renewals and releases get false.
     */
    void close() {
        Thread thread = new Thread(() -> end(closed()), "wellkeeper-jdbc-native-close");
        thread.setDaemon(true); // it has a thread because some drivers ask the server to break a connection
        thread.start();
    }

    private LockStoreException closed() {
        return new LockStoreException("the store at " + address + " was closed");
    }
}
