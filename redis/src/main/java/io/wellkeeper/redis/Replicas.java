package io.wellkeeper.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.StoreRefusalException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Waits until replicas have acknowledged what a master has carried out so far, by {@code WAIT}. That stands in the way of
 * whatever else is sent on the same connection, so it has one of its own; and whoever comes while it waits is served
 * together with all others that do, by the next one.
 */
final class Replicas {

    private static final Duration PAUSE = Duration.ofMillis(50);

    private final Link.Route route;
    private final String key;
    private final long idleMillis;
    private final int count;
    private final Duration atMost;
    private final ReentrantLock lock = new ReentrantLock(); // guards the fields below
    private @Nullable Wire wire;
    private @Nullable CompletableFuture<Void> running;
    private @Nullable CompletableFuture<Void> next;
    private boolean closed;

    /**
     * @param route over a connection that nobody else uses
     * @param key one that is there, and may be kept for so long: touching it is the change that is waited for
     * @param count how many replicas
     * @param atMost how long
     */
    Replicas(Link.Route route, String key, long idleMillis, int count, Duration atMost) {
        this.route = route;
        this.key = key;
        this.idleMillis = idleMillis;
        this.count = count;
        this.atMost = atMost;
    }

    /** Completes when enough replicas have what has been answered before this call; fails if they do not have it in time. */
    CompletableFuture<Void> confirm() {
        CompletableFuture<Void> mine = new CompletableFuture<>();
        lock.lock();
        try {
            if (running != null) {
                CompletableFuture<Void> waiting = next;
                if (waiting == null) {
                    waiting = mine;
                    next = mine;
                }
                return waiting;
            }
            running = mine;
        } finally {
            lock.unlock();
        }
        begin(mine);
        return mine;
    }

    private void begin(CompletableFuture<Void> those) {
        begin(those, System.nanoTime() + atMost.toNanos());
    }

    private void begin(CompletableFuture<Void> those, long deadline) {
        Wire there;
        lock.lock();
        try {
            there = wire;
        } finally {
            lock.unlock();
        }
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

    private void ask(Wire by, CompletableFuture<Void> those, long deadline) {
        by.acknowledged(key, idleMillis, count, atMost).whenComplete((replicas, failure) -> {
            if (failure != null) {
                by.breakOff(); // whoever is in charge by now is found anew
                if (Stages.unwrap(failure) instanceof RedisCommandExecutionException refusal
                        && Topology.isForAnother(refusal)
                        && deadline - System.nanoTime() > 0) {
                    CompletableFuture.delayedExecutor(PAUSE.toNanos(), TimeUnit.NANOSECONDS, Runnable::run)
                            .execute(() -> begin(those, deadline));
                } else {
                    end(those, failure);
                }
            } else if (replicas < count) {
                end(
                        those,
                        new StoreRefusalException("Redis at " + route.address() + ": " + replicas + " of " + count
                                + " replicas have acknowledged the ticket within " + atMost));
            } else {
                end(those, null);
            }
        });
    }

    private void end(CompletableFuture<Void> those, @Nullable Throwable failure) {
        CompletableFuture<Void> following;
        lock.lock();
        try {
            following = next;
            running = following;
            next = null;
        } finally {
            lock.unlock();
        }
        if (failure == null) {
            those.complete(null);
        } else if (Stages.unwrap(failure) instanceof LockStoreException known) {
            those.completeExceptionally(known);
        } else {
            those.completeExceptionally(new LockStoreException(
                    "Redis at " + route.address() + ": cannot ask for replicas: " + Stages.unwrap(failure)));
        }
        if (following != null) {
            begin(following);
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
