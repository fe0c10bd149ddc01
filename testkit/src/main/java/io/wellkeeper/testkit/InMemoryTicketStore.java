package io.wellkeeper.testkit;

import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.SessionListener;
import io.wellkeeper.spi.SessionOptions;
import io.wellkeeper.spi.TicketStore;
import java.util.concurrent.CompletionStage;

/**
 * A connection to an {@link InMemoryServer} that keeps queues. Give each client one of its own, as each process has, and
 * break it as a network would.
 */
public final class InMemoryTicketStore implements TicketStore {

    private final InMemoryServer server;
    private final Link link;

    /**
     * Connects.
     *
     * @param server to which
     */
    public InMemoryTicketStore(InMemoryServer server) {
        this.server = server;
        this.link = server.connect();
    }

    @Override
    public CompletionStage<Session> open(SessionOptions options, SessionListener listener) {
        return link.request(
                Request.OPEN, () -> new InMemorySession(server, link, server.begin(link, options, listener)));
    }

    /**
     * Breaks the connection. Open requests fail, except that {@code take}, {@code replace} and watches are sent again when
     * it is mended; what was on its way may still arrive then. The session's listener is told. The client loses its locks when
     * its session timeout has nearly passed; {@link #expireSessions()} takes them at
     * once.
     */
    public void cut() {
        server.cut(link);
    }

    /** Ends {@link #cut()}. */
    public void mend() {
        server.mend(link);
    }

    /** Ends all sessions of this connection at the server. The listeners hear of it over the connection. */
    public void expireSessions() {
        server.expireSessions(link);
    }

    /**
     * Stops the client's process for a while, as far as the store is concerned: it hears nothing, and does not know it.
     * Its clock and its own threads are the test's affair.
     */
    public void pause() {
        link.stop();
    }

    /** Ends {@link #pause()}: the client hears at once what it has missed. */
    public void resume() {
        link.proceed();
    }

    @Override
    public String address() {
        return server.address();
    }

    @Override
    public String toString() {
        return "InMemoryTicketStore[" + address() + "]";
    }

    /** Sessions stay as they are: a session that was not closed expires by the server's clock. */
    @Override
    public void close() {
        server.disconnect(link);
    }

    InMemoryServer server() {
        return server;
    }

    Link link() {
        return link;
    }
}
