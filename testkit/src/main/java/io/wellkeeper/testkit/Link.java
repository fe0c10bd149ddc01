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

/**
 * The connection of one store object to the server: one pipe for requests, one for replies, and perhaps another one for
 * messages about changes of a queue.
 */
final class Link {

    private final InMemoryServer server;
    private final Pipe up;
    private final Pipe waiting; // requests at the server, until it lets sessions begin again
    private final Pipe down;
    private final Pipe beside; // like a second connection over which the client only receives
    private final Pipe local; // messages from the client's own end of the connection
    private final Map<Long, Call<?>> open = new ConcurrentSkipListMap<>(); // the calls without a reply yet, in order
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

    /** Does the work at the server, under the server's lock; the reply comes on the server's thread. */
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
        server.callWitness();
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

    /** Sends a message to the client. */
    void tell(Runnable word) {
        down.send(server.delay(), () -> server.callBack(word));
    }

    /** Sends the client a message about a change of a queue. */
    void tellNews(Runnable word) {
        Pipe way = server.tellsApart() ? beside : down;
        way.send(server.delay(), () -> server.callBack(word));
    }

    /** Gives the client a message from its own end of the connection, also while the connection is broken. */
    void tellLocally(Runnable word) {
        local.send(Duration.ZERO, () -> server.callBack(word));
    }

    /** To be called when the server has ended a session that its client had not closed. */
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

    /** The client's process receives nothing until {@link #proceed}; the messages that it has sent arrive. */
    void stop() {
        stopped = true;
    }

    void proceed() {
        stopped = false;
        release();
    }

    void release() {
        local.release(); // first, so that the client learns that the connection broke before it learns that it is back
        up.release();
        waiting.release();
        down.release();
        beside.release();
    }
}
