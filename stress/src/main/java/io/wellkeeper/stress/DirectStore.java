package io.wellkeeper.stress;

import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.SessionListener;
import io.wellkeeper.spi.SessionOptions;
import io.wellkeeper.spi.TicketStore;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A store that keeps queues in this process, and answers at once on the thread that asks. Messages to watchers and
 * listeners are delivered one at a time and in order. The thread that caused the first undelivered message delivers
 * all.
 */
final class DirectStore implements TicketStore {

    private final ReentrantLock lock = new ReentrantLock(); // guards all below
    private final Map<String, Line> lines = new HashMap<>();
    private final List<DirectSession> living = new ArrayList<>();
    private final Queue<Runnable> words = new ArrayDeque<>();
    private boolean delivering;
    private int sessions;
    private boolean blind;
    // no notice is shown before it is complete
    private CompletableFuture<Void> showing = CompletableFuture.completedFuture(null);

    @Override
    public CompletionStage<Session> open(SessionOptions options, SessionListener listener) {
        return ask(() -> {
            DirectSession session = new DirectSession(this, "s" + ++sessions, options.timeout(), listener);
            living.add(session);
            return session;
        });
    }

    /** Does the work under the lock, delivers the messages that it has caused, and then answers. */
    <T extends @Nullable Object> CompletionStage<T> ask(Supplier<T> work) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        lock.lock();
        try {
            answer.complete(work.get());
        } catch (RuntimeException thrown) {
            answer.completeExceptionally(thrown);
        } finally {
            lock.unlock();
        }
        deliver();
        return answer;
    }

    /** Adds a message to be delivered. To be called under the lock. */
    void tell(Runnable word) {
        words.add(word);
    }

    private void deliver() {
        for (Runnable word = next(false); word != null; word = next(true)) {
            word.run();
        }
    }

    private @Nullable Runnable next(boolean mine) {
        lock.lock();
        try {
            if (delivering && !mine) {
                return null;
            }
            Runnable word = words.poll();
            delivering = word != null;
            return word;
        } finally {
            lock.unlock();
        }
    }

    /** To be called under the lock. */
    Line line(String name) {
        return lines.computeIfAbsent(name, unused -> new Line(this));
    }

    /** To be called under the lock. */
    void end(DirectSession session) {
        session.ended = true;
        living.remove(session);
        lines.values().forEach(line -> line.end(session));
    }

    /** From now on the store hides the other tickets of a queue, which is a bug. */
    void blind() {
        ask(() -> blind = true);
    }

    /** To be called under the lock. */
    boolean isBlind() {
        return blind;
    }

    /** From now on requests for a notice are answered only after {@link #showNotices}. */
    void holdNotices() {
        ask(() -> showing = new CompletableFuture<>());
    }

    /** Answers the open requests for a notice. */
    void showNotices() {
        showing().complete(null);
    }

    CompletableFuture<Void> showing() {
        lock.lock();
        try {
            return showing;
        } finally {
            lock.unlock();
        }
    }

    /** Ends all sessions, as if no heartbeats had come. */
    void expireSessions() {
        ask(() -> {
            for (DirectSession session : List.copyOf(living)) {
                end(session);
                tell(session.listener::lost);
            }
            return true;
        });
    }

    /** Removes the first ticket of a queue, if there is one, as an operator might by hand. */
    void evictFirst(String name) {
        ask(() -> line(name).removeFirst());
    }

    /** How many tickets and watches there are. */
    int leftovers() {
        lock.lock();
        try {
            return lines.values().stream().mapToInt(Line::size).sum();
        } finally {
            lock.unlock();
        }
    }

    int sessions() {
        lock.lock();
        try {
            return living.size();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public String address() {
        return "direct";
    }

    @Override
    public void close() {}
}
