package io.wellkeeper.stress;

import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.SessionListener;
import io.wellkeeper.spi.SessionLostException;
import io.wellkeeper.spi.TicketQueue;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A client's session at a {@link DirectStore}. */
final class DirectSession implements Session {

    final SessionListener listener;
    boolean ended; // guarded by the store's lock
    private final DirectStore store;
    private final String id;
    private final Duration timeout;

    DirectSession(DirectStore store, String id, Duration timeout, SessionListener listener) {
        this.store = store;
        this.id = id;
        this.timeout = timeout;
        this.listener = listener;
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public Duration validity() {
        return timeout;
    }

    @Override
    public Duration heartbeatInterval() {
        return timeout.dividedBy(8);
    }

    @Override
    public CompletionStage<Void> heartbeat() {
        return done(() -> {});
    }

    @Override
    public TicketQueue queue(String name) {
        return new DirectQueue(this, name);
    }

    @Override
    public CompletionStage<List<String>> names(String prefix) {
        throw new UnsupportedOperationException("names");
    }

    @Override
    public CompletionStage<Void> close() {
        return done(() -> store.end(this));
    }

    CompletionStage<Void> done(Runnable work) {
        CompletionStage<@Nullable Void> done = ask(() -> {
            work.run();
            return null;
        });
        return done.thenApply(nothing -> nothing);
    }

    /** As {@link DirectStore#ask}, if the session lives. */
    <T extends @Nullable Object> CompletionStage<T> ask(Supplier<T> work) {
        return store.ask(() -> {
            if (ended) {
                throw new SessionLostException("session " + id + " has ended");
            }
            return work.get();
        });
    }

    /** Answers when notices are shown: see {@link DirectStore#holdNotices}. */
    CompletionStage<Notice> notice(String name) {
        return ask(() -> line(name).notice()).thenCombine(store.showing(), (seen, shown) -> seen);
    }

    /** To be called under the store's lock. */
    Line line(String name) {
        return store.line(name);
    }
}
