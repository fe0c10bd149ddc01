package io.wellkeeper.testkit;

import io.wellkeeper.LockStoreException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The connection of one store object to the server: a pipe there and a pipe back, and perhaps one more for news. */
final class Link {

    private final InMemoryServer server;
    private final Pipe up;
    private final Pipe waiting; // there, until the server lets sessions begin again
    private final Pipe down;
    private final Pipe beside; // like a second connection that only listens
    private final Pipe local; // what the client's own end of the connection knows
    private final Map<Long, Call<?>> open = new ConcurrentSkipListMap<>(); // sent and not answered, in order
    private final AtomicLong calls = new AtomicLong();
    private volatile boolean cut;
    private volatile boolean stopped; // the client's process stands still
    private volatile boolean lostSession;

    private record Call<T extends @Nullable Object>(
            long number, Request kind, Supplier<T> work, CompletableFuture<T> answer) {}

    Link(InMemoryServer server) {
        this.server = server;
        this.up = new Pipe(server.time(), () -> cut || server.isFrozen());
        this.waiting = new Pipe(server.time(), () -> cut || server.isFrozen());
        this.down = new Pipe(server.time(), () -> cut || stopped || server.isFrozen());
        this.beside = new Pipe(server.time(), () -> cut || stopped || server.isFrozen());
        this.local = new Pipe(server.time(), () -> stopped);
    }

    /** Has the work done at the server, under its lock; the answer comes on the server's thread. */
    <T extends @Nullable Object> CompletionStage<T> request(Request kind, Supplier<T> work) {
        Call<T> call = new Call<>(calls.incrementAndGet(), kind, work, new CompletableFuture<>());
        open.put(call.number, call);
        if (cut && !kind.isRepeated()) {
            local.send(Duration.ZERO, () -> fail(call));
        } else {
            transmit(call);
        }
        return call.answer.minimalCompletionStage();
    }

    private <T extends @Nullable Object> void transmit(Call<T> call) {
        server.count(call.kind);
        up.send(server.delay(), () -> carryOut(call));
    }

    private <T extends @Nullable Object> void carryOut(Call<T> call) {
        Duration recovery = call.kind == Request.OPEN ? server.untilRecovered() : Duration.ZERO;
        if (!recovery.isZero()) {
            waiting.send(recovery, () -> carryOut(call));
            return;
        }
        @Nullable T result = null;
        RuntimeException failure = null;
        try {
            result = server.locked(call.work);
        } catch (RuntimeException thrown) {
            failure = thrown;
        }
        if (server.losesReply(call.kind)) {
            transmit(call);
            return;
        }
        answer(call, result, failure);
    }

    private <T extends @Nullable Object> void answer(
            Call<T> call, @Nullable T result, @Nullable RuntimeException failure) {
        down.send(server.delay(), () -> {
            open.remove(call.number);
            if (failure == null) {
                call.answer.complete(result);
            } else {
                call.answer.completeExceptionally(failure);
            }
        });
    }

    private void fail(Call<?> call) {
        open.remove(call.number);
        call.answer.completeExceptionally(
                new LockStoreException("connection to " + server.address() + " is broken; " + call.kind + " failed"));
    }

    /** Sends word to the client. */
    void tell(Runnable word) {
        down.send(server.delay(), () -> server.callBack(word));
    }

    /** Sends word of what happens in a queue. */
    void tellNews(Runnable word) {
        Pipe way = server.tellsApart() ? beside : down;
        way.send(server.delay(), () -> server.callBack(word));
    }

    /** Tells the client what its own end of the connection knows, whatever the state of the connection. */
    void tellLocally(Runnable word) {
        local.send(Duration.ZERO, () -> server.callBack(word));
    }

    /** The server has ended a session that its owner had not closed. */
    void sessionLost() {
        lostSession = true;
    }

    boolean hasLostSession() {
        return lostSession;
    }

    boolean isCut() {
        return cut;
    }

    void cut() {
        cut = true;
        for (Call<?> call : open.values()) {
            if (!call.kind.isRepeated()) {
                local.send(Duration.ZERO, () -> fail(call));
            }
        }
    }

    void mend() {
        cut = false;
        release();
    }

    /** The client's process hears nothing until {@link #proceed}; what it has sent arrives. */
    void stop() {
        stopped = true;
    }

    void proceed() {
        stopped = false;
        release();
    }

    void release() {
        local.release(); // that the connection broke, before that it was mended
        up.release();
        waiting.release();
        down.release();
        beside.release();
    }
}
