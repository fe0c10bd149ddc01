package io.wellkeeper.storekit;

import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.TicketStore;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/**
 * What {@link TicketStoreContract}, {@link TicketQueueContract}, {@link ReplacementContract} and {@link NoticeContract}
 * need of the store they test. The verbs without which a test makes no sense are implemented as far as the store's server
 * can be made to do them; a test whose verb is missing is skipped, and says so.
 */
public interface TicketStoreFixture extends AutoCloseable {

    /**
     * Connects to one and the same server, as each process does.
     *
     * @return a connection of its own, which the kit closes
     * @throws Exception if that fails, and so the test
     */
    TicketStore connect() throws Exception;

    /** {@return a timeout within which no test comes to its end} */
    default Duration longTimeout() {
        return Duration.ofSeconds(60);
    }

    /** {@return the shortest timeout the store is good for} */
    default Duration shortTimeout() {
        return Duration.ofSeconds(1);
    }

    /**
     * Ends a session at the server, without its client.
     *
     * @param store the connection that has opened it
     * @param session the session
     * @throws Exception if that fails, and so the test
     */
    default void expire(TicketStore store, Session session) throws Exception {
        Assumptions.abort("this store cannot be made to end a session");
    }

    /**
     * Breaks a connection, for long; sessions are not ended by it.
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
     * Has what a connection sends carried out, and the connection hear nothing, until {@link #cut}.
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
     * Has the server forget all sessions and tickets, as one that starts again without its data; connections may break
     * meanwhile. When this returns, it answers again.
     *
     * @throws Exception if that fails, and so the test
     */
    default void loseData() throws Exception {
        Assumptions.abort("this store cannot be made to lose its data");
    }

    /**
     * Looks for what is left behind.
     *
     * @return tickets, watches and sessions that the server still has, each in a sentence; of this fixture only
     * @throws Exception if that fails, and so the test
     */
    List<String> leftovers() throws Exception;

    /** Lets go of the server. */
    @Override
    void close() throws Exception;
}
