package io.wellkeeper.testkit;

import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.SessionListener;
import io.wellkeeper.spi.SessionOptions;
import io.wellkeeper.spi.TicketStore;
import java.util.concurrent.CompletionStage;

/**
 * A connection to an {@link InMemoryServer} that serves ticket queues. Give each client a connection of its own, as
 * each process has one. A test can break the connection as a network would.
 */
public final class InMemoryTicketStore implements TicketStore {

    private final InMemoryServer server;
    private final Link link;

    /**
     * Connects to a server.
     *
     * @param server the server
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
     * Breaks the connection. Open requests fail, except that {@code take}, {@code replace} and watches are sent again
     * after {@link #mend}; messages that were on their way may still arrive then. The session's listener is told. The
     * client loses its locks when its session timeout has nearly passed; {@link #expireSessions()} takes them away at
     * once.
     */
    public void cut() {
        server.cut(link);
    }

    /** Ends {@link #cut()}. */
    public void mend() {
        server.mend(link);
    }

    /** Ends all sessions of this connection at the server, which tells their listeners over the connection. */
    public void expireSessions() {
        server.expireSessions(link);
    }

    /**
     * Stops the client's process for a while, as far as the store is concerned: the process receives no message, and is
     * not told so. The test itself has to stop the clock and the threads of the process.
     */
    public void pause() {
        link.stop();
    }

    /** Ends {@link #pause()}: the client receives at once the messages that it has missed. */
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

    /** Closes the connection only. A session that was not closed expires by the server's clock. */
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
