package io.wellkeeper.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.StoreRefusalException;
import io.wellkeeper.spi.Time;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Waits until replicas have acknowledged what a master has carried out so far, by {@code WAIT}. This command holds up
 * all other requests on the same connection, so it has a connection of its own. The tickets that come during one
 * {@code WAIT} are confirmed together by the next.
 */
final class Replicas {

    private static final Duration PAUSE = Duration.ofMillis(50);
    private static final Duration SILENCE = RedisServer.CONNECT_TIMEOUT; // for which an answer may be late

    private final Link.Route route;
    private final String key;
    private final long idleMillis;
    private final int count;
    private final Duration atMost;
    private final ReentrantLock lock = new ReentrantLock(); // guards the fields below
    private @Nullable Wire wire;
    private @Nullable Batch running;
    private @Nullable Batch next;
    private boolean closed;

    /** Tickets that are confirmed together. */
    private static final class Batch {
        final Map<String, String> queues = new ConcurrentHashMap<>(); // the key of the queue, by ticket
        final CompletableFuture<Set<String>> unknown = new CompletableFuture<>(); // the tickets that are not there
    }

    /**
     * @param route to a connection that nobody else uses
     * @param key an existing key; its expiry is set to {@code idleMillis}, and that is the change that replicas
     *     acknowledge
     * @param count how many replicas have to acknowledge
     * @param atMost how long to wait for the replicas
     */
    Replicas(Link.Route route, String key, long idleMillis, int count, Duration atMost) {
        this.route = route;
        this.key = key;
        this.idleMillis = idleMillis;
        this.count = count;
        this.atMost = atMost;
    }

    /**
     * Completes when enough replicas know of a ticket.
     *
     * @param queue the key of its queue
     * @param ticket one that the server has given
     * @return the ticket; fails if too few replicas know of it in time, or if the server in charge by now does not know
     *     it
     */
    CompletableFuture<String> confirm(String queue, String ticket) {
        Batch batch;
        boolean first;
        lock.lock();
        try {
            first = running == null;
            batch = first || next == null ? new Batch() : next;
            batch.queues.put(ticket, queue);
            if (first) {
                running = batch;
            } else {
                next = batch;
            }
        } finally {
            lock.unlock();
        }
        if (first) {
            begin(batch);
        }
        return Stages.map(batch.unknown, unknown -> {
            if (unknown.contains(ticket)) {
                throw new LockStoreException("Redis at " + route.address()
                        + ": the server that is in charge by now does not know the ticket");
            }
            return ticket;
        });
    }

    private void begin(Batch those) {
        begin(those, System.nanoTime() + atMost.toNanos());
    }

    private void begin(Batch those, long deadline) {
        Wire there = wire();
        if (there != null && !there.isBroken()) {
            ask(there, those, deadline);
            return;
        }
        route.wire(there != null).whenComplete((connected, failure) -> {
            if (failure != null) {
                end(those, failure);
            } else if (keep(connected)) {
                ask(connected, those, deadline);
            } else {
                route.release(connected);
                end(those, new LockStoreException("the session at " + route.address() + " was closed"));
            }
        });
    }

    private @Nullable Wire wire() {
        lock.lock();
        try {
            return wire;
        } finally {
            lock.unlock();
        }
    }

    /**
     * See {@link Link.Route#follow}: a former master has no replicas any more, so waiting for them would be in vain.
     */
    void follow() {
        Wire there = wire();
        if (there != null) {
            route.follow(there);
        }
    }

    private boolean keep(Wire connected) {
        Wire old;
        lock.lock();
        try {
            if (closed) {
                return false;
            }
            old = wire;
            wire = connected;
        } finally {
            lock.unlock();
        }
        if (old != null) {
            route.release(old);
        }
        return true;
    }

    private void ask(Wire by, Batch those, long deadline) {
        Set<String> unknown = ConcurrentHashMap.newKeySet();
        CompletableFuture<Long> answered = by.acknowledged(those.queues, unknown, key, idleMillis, count, atMost);
        Time.limit(answered.copy(), atMost.plus(SILENCE)).whenComplete((replicas, failure) -> {
            if (failure instanceof TimeoutException) {
                by.breakOff(); // the connection is dead, and nobody else would notice
            }
        });
        answered.whenComplete((replicas, failure) -> {
            if (failure != null) {
                by.breakOff(); // so that the server that is in charge by now is looked for
                if (Stages.unwrap(failure) instanceof RedisCommandExecutionException refusal
                        && Topology.isForAnother(refusal)
                        && deadline - System.nanoTime() > 0) {
                    Time.later(PAUSE, () -> begin(those, deadline));
                } else {
                    end(those, failure);
                }
            } else if (replicas < count) {
                end(
                        those,
                        new StoreRefusalException("Redis at " + route.address() + ": " + replicas + " of " + count
                                + " replicas have acknowledged the ticket within " + atMost));
            } else {
                end(those, unknown);
            }
        });
    }

    private void end(Batch those, Throwable failure) {
        Batch following = turn();
        if (Stages.unwrap(failure) instanceof LockStoreException known) {
            those.unknown.completeExceptionally(known);
        } else {
            those.unknown.completeExceptionally(new LockStoreException(
                    "Redis at " + route.address() + ": cannot ask for replicas: " + Stages.unwrap(failure)));
        }
        if (following != null) {
            begin(following);
        }
    }

    private void end(Batch those, Set<String> unknown) {
        Batch following = turn();
        those.unknown.complete(unknown);
        if (following != null) {
            begin(following);
        }
    }

    /** Begins the turn of the tickets that have come meanwhile; returns null if there are none. */
    private @Nullable Batch turn() {
        lock.lock();
        try {
            running = next;
            next = null;
            return running;
        } finally {
            lock.unlock();
        }
    }

    void close() {
        Wire last;
        lock.lock();
        try {
            closed = true;
            last = wire;
            wire = null;
        } finally {
            lock.unlock();
        }
        if (last != null) {
            route.release(last);
        }
    }
}
