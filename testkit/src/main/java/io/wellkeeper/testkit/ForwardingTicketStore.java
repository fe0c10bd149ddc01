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
 * A connection whose sessions and queues a test may observe, or change the answers of: override {@link #session} or
 * {@link #queue}.
 */
public class ForwardingTicketStore implements TicketStore {

    /** The connection that this is over. */
    protected final InMemoryTicketStore store;

    /**
     * Over a connection.
     *
     * @param store closed with this
     */
    public ForwardingTicketStore(InMemoryTicketStore store) {
        this.store = store;
    }

    /** The connection that this is over. */
    public final InMemoryTicketStore store() {
        return store;
    }

    /**
     * Asked for each session that is opened.
     *
     * @param sound the connection's own
     * @return what the client gets instead
     */
    protected Session session(Session sound) {
        return new ForwardingSession(sound);
    }

    /**
     * Asked for each queue of a {@link ForwardingSession}.
     *
     * @param sound the session's own
     * @param name the lock's
     * @return what the client gets instead
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
    public void close() {
        store.close();
    }

    /** A session that does what another one does, with the store's {@linkplain #queue queues}. */
    public class ForwardingSession implements Session {

        /** The session that this is over. */
        protected final Session session;

        /**
         * Over a session.
         *
         * @param session closed with this
         */
        public ForwardingSession(Session session) {
            this.session = session;
        }

        /** The session that this is over. */
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

    /** A queue that does what another one does. */
    public static class ForwardingQueue implements TicketQueue {

        /** The queue that this is over. */
        protected final TicketQueue queue;

        /**
         * Over a queue.
         *
         * @param queue the session's
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
