package io.wellkeeper.storekit;

import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.TicketStore;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/**
 * What {@link TicketStoreContract}, {@link TicketQueueContract}, {@link ReplacementContract} and {@link NoticeContract}
 * need of the store they test. The verbs without which a
 * test makes no sense are implemented as far as the store's server can be made to do them; a test whose verb is missing
 * is skipped, and says so.
 */
public interface TicketStoreFixture extends AutoCloseable {

    /** A connection of its own to one and the same server, as each process has. The kit closes it. */
    TicketStore connect() throws Exception;

    /** A timeout within which no test comes to its end. */
    default Duration longTimeout() {
        return Duration.ofSeconds(60);
    }

    /** The shortest timeout the store is good for. */
    default Duration shortTimeout() {
        return Duration.ofSeconds(1);
    }

    /** Ends a session at the server, without its client. */
    default void expire(TicketStore store, Session session) throws Exception {
        Assumptions.abort("this store cannot be made to end a session");
    }

    /** Breaks a connection, for long; sessions are not ended by it. */
    default void cut(TicketStore store) throws Exception {
        Assumptions.abort("this store's connections cannot be cut");
    }

    /** Ends {@link #cut}. */
    default void mend(TicketStore store) throws Exception {
        Assumptions.abort("this store's connections cannot be mended");
    }

    /** What a connection sends is carried out, and it hears nothing, until {@link #cut}. */
    default void deafen(TicketStore store) throws Exception {
        Assumptions.abort("this store's connections cannot be made deaf");
    }

    /** Loses the reply of the next {@code take} after the server has carried it out. */
    default void loseNextReplyOfTake() throws Exception {
        Assumptions.abort("this store cannot be made to lose a reply");
    }

    /** Loses the reply of the next {@code replace} after the server has carried it out. */
    default void loseNextReplyOfReplace() throws Exception {
        Assumptions.abort("this store cannot be made to lose a reply");
    }

    /** Stops the server and starts it again, with its data. */
    default void restart() throws Exception {
        Assumptions.abort("this store cannot be restarted");
    }

    /**
     * Has the server forget all sessions and tickets, as one that starts again without its data; connections may break
     * meanwhile. When this returns, it answers again.
     */
    default void loseData() throws Exception {
        Assumptions.abort("this store cannot be made to lose its data");
    }

    /** Tickets, watches and sessions that the server still has, each in a sentence; of this fixture only. */
    List<String> leftovers() throws Exception;

    /** Lets go of the server. */
    @Override
    void close() throws Exception;
}
