package io.wellkeeper.storekit;

import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.TicketStore;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/**
 * What {@link TicketStoreContract}, {@link TicketQueueContract}, {@link ReplacementContract} and {@link NoticeContract}
 * need from a store: connections, and methods for failures. A fixture implements those methods that are possible with
 * its server. If a method is not implemented, its tests are skipped, and say so.
 */
public interface TicketStoreFixture extends AutoCloseable {

    /**
     * Connects to the server, always the same one, like a process.
     *
     * @return a new connection, which the kit closes
     * @throws Exception if that fails, and so the test
     */
    TicketStore connect() throws Exception;

    /** {@return a timeout that is longer than any test} */
    default Duration longTimeout() {
        return Duration.ofSeconds(60);
    }

    /** {@return the shortest timeout that the store supports} */
    default Duration shortTimeout() {
        return Duration.ofSeconds(1);
    }

    /**
     * Ends a session at the server, without its client.
     *
     * @param store the connection that has opened the session
     * @param session the session
     * @throws Exception if that fails, and so the test
     */
    default void expire(TicketStore store, Session session) throws Exception {
        Assumptions.abort("this store cannot be made to end a session");
    }

    /**
     * Breaks a connection for long. This does not end its sessions.
     *
     * @param store the connection
     * @throws Exception if that fails, and so the test
     */
    default void cut(TicketStore store) throws Exception {
        Assumptions.abort("this store's connections cannot be cut");
    }

    /**
     * Ends {@link #cut}.
     *
     * @param store a connection that was cut
     * @throws Exception if that fails, and so the test
     */
    default void mend(TicketStore store) throws Exception {
        Assumptions.abort("this store's connections cannot be mended");
    }

    /**
     * Until {@link #cut}, the server carries out what a connection sends, but the connection receives nothing.
     *
     * @param store the connection
     * @throws Exception if that fails, and so the test
     */
    default void deafen(TicketStore store) throws Exception {
        Assumptions.abort("this store's connections cannot be made deaf");
    }

    /**
     * Loses the reply of the next {@code take} after the server has carried it out.
     *
     * @throws Exception if that fails, and so the test
     */
    default void loseNextReplyOfTake() throws Exception {
        Assumptions.abort("this store cannot be made to lose a reply");
    }

    /**
     * Loses the reply of the next {@code replace} after the server has carried it out.
     *
     * @throws Exception if that fails, and so the test
     */
    default void loseNextReplyOfReplace() throws Exception {
        Assumptions.abort("this store cannot be made to lose a reply");
    }

    /**
     * Stops the server and starts it again, with its data.
     *
     * @throws Exception if that fails, and so the test
     */
    default void restart() throws Exception {
        Assumptions.abort("this store cannot be restarted");
    }

    /**
     * Makes the server forget all sessions and tickets, as if it had started again without its data; connections may
     * break meanwhile. When this returns, the server answers again.
     *
     * @throws Exception if that fails, and so the test
     */
    default void loseData() throws Exception {
        Assumptions.abort("this store cannot be made to lose its data");
    }

    /**
     * Looks for leftovers of this fixture.
     *
     * @return the tickets, watches and sessions of this fixture that the server still has, each in a sentence
     * @throws Exception if that fails, and so the test
     */
    List<String> leftovers() throws Exception;

    /** Releases the server. */
    @Override
    void close() throws Exception;
}
