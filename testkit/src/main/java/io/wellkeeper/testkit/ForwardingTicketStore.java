package io.wellkeeper.testkit;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.DepartureWatcher;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.SessionListener;
import io.wellkeeper.spi.SessionOptions;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketInfo;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketRequest;
import io.wellkeeper.spi.TicketStore;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * A store that passes each call on to a connection. A test overrides {@link #session} or {@link #queue} to observe the
 * sessions and queues, or to change their answers.
 */
public class ForwardingTicketStore implements TicketStore {

    /** The wrapped connection. */
    protected final InMemoryTicketStore store;

    /**
     * Wraps a connection.
     *
     * @param store the connection; it is closed together with this store
     */
    public ForwardingTicketStore(InMemoryTicketStore store) {
        this.store = store;
    }

    /** {@return the wrapped connection} */
    public final InMemoryTicketStore store() {
        return store;
    }

    /**
     * Called for each session that is opened.
     *
     * @param sound the session that the connection has opened
     * @return the session that the client gets instead
     */
    protected Session session(Session sound) {
        return new ForwardingSession(sound);
    }

    /**
     * Called for each queue of a {@link ForwardingSession}.
     *
     * @param sound the queue of the wrapped session
     * @param name the lock's name
     * @return the queue that the client gets instead
     */
    protected TicketQueue queue(TicketQueue sound, String name) {
        return sound;
    }

    @Override
    public CompletionStage<Session> open(SessionOptions options, SessionListener listener) {
        return store.open(options, listener).thenApply(this::session);
    }

    @Override
    public String address() {
        return store.address();
    }

    @Override
    public String toString() {
        return getClass().getSimpleName() + "[" + address() + "]";
    }

    @Override
    public void close() {
        store.close();
    }

    /** A session that passes each call on to another session; its queues are those that {@link #queue} returns. */
    public class ForwardingSession implements Session {

        /** The wrapped session. */
        protected final Session session;

        /**
         * Wraps a session.
         *
         * @param session the session; it is closed together with this one
         */
        public ForwardingSession(Session session) {
            this.session = session;
        }

        /** {@return the wrapped session} */
        public final Session session() {
            return session;
        }

        @Override
        public String id() {
            return session.id();
        }

        @Override
        public Duration validity() {
            return session.validity();
        }

        @Override
        public Duration heartbeatInterval() {
            return session.heartbeatInterval();
        }

        @Override
        public CompletionStage<Void> heartbeat() {
            return session.heartbeat();
        }

        @Override
        public TicketQueue queue(String name) {
            return ForwardingTicketStore.this.queue(session.queue(name), name);
        }

        @Override
        public CompletionStage<List<String>> names(String prefix) {
            return session.names(prefix);
        }

        @Override
        public CompletionStage<Void> close() {
            return session.close();
        }
    }

    /** A queue that passes each call on to another queue. */
    public static class ForwardingQueue implements TicketQueue {

        /** The wrapped queue. */
        protected final TicketQueue queue;

        /**
         * Wraps a queue.
         *
         * @param queue the queue of the wrapped session
         */
        public ForwardingQueue(TicketQueue queue) {
            this.queue = queue;
        }

        @Override
        public CompletionStage<Place> take(TicketRequest request) {
            return queue.take(request);
        }

        @Override
        public CompletionStage<List<Ticket>> tickets() {
            return queue.tickets();
        }

        @Override
        public CompletionStage<List<TicketInfo>> inspect() {
            return queue.inspect();
        }

        @Override
        public CompletionStage<Boolean> remove(Ticket ticket) {
            return queue.remove(ticket);
        }

        @Override
        public Registration onDeparture(Collection<Ticket> any, DepartureWatcher watcher) {
            return queue.onDeparture(any, watcher);
        }

        @Override
        public CompletionStage<Boolean> alone(Ticket mine, Runnable arrived) {
            return queue.alone(mine, arrived);
        }

        @Override
        public CompletionStage<Ticket> replace(Ticket mine, Mode mode, int permits) {
            return queue.replace(mine, mode, permits);
        }

        @Override
        public CompletionStage<Void> describe(Ticket mine, String metadata) {
            return queue.describe(mine, metadata);
        }

        @Override
        public CompletionStage<Notice> notice() {
            return queue.notice();
        }

        @Override
        public CompletionStage<Boolean> post(Notice seen, String text) {
            return queue.post(seen, text);
        }

        @Override
        public Registration onNotice(Runnable changed) {
            return queue.onNotice(changed);
        }
    }
}
