package io.wellkeeper.storekit;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockSource;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/**
 * What the contracts of locks need of the store they run on: clients, and verbs for what may happen to them. A test whose
 * verb is missing is skipped, and says so.
 */
public interface LockFixture extends AutoCloseable {

    /**
     * A client with a connection of its own, as each process has; a {@link LockClient} over a store that keeps a queue.
     * The kit closes it, and its connection is closed by {@link #close()} at the latest.
     *
     * @param options as the test wants them
     */
    LockSource newClient(ClientOptions options) throws Exception;

    /** Whether the store has an honest fencing token. */
    default boolean hasTokens() {
        return true;
    }

    /** A session timeout within which no test comes to its end. */
    default Duration longTimeout() {
        return Duration.ofSeconds(60);
    }

    /** The shortest session timeout the store is good for. */
    default Duration shortTimeout() {
        return Duration.ofSeconds(1);
    }

    /** Ends the client's session, or leases, at the server; the client can open another. */
    default void lose(LockSource client) throws Exception {
        Assumptions.abort("this store cannot be made to end a session");
    }

    /** Breaks the client's connection until {@link #mend}. */
    default void cut(LockSource client) throws Exception {
        Assumptions.abort("this store's connections cannot be cut");
    }

    /** Ends {@link #cut}. */
    default void mend(LockSource client) throws Exception {
        Assumptions.abort("this store's connections cannot be mended");
    }

    /** Has the server answer nobody, without breaking a connection, until {@link #resume}. */
    default void pause() throws Exception {
        Assumptions.abort("this store cannot be paused");
    }

    /** Ends {@link #pause}. */
    default void resume() throws Exception {
        Assumptions.abort("this store cannot be resumed");
    }

    /** Stops the server, paused or not, and starts it again, with its data; when this returns, it answers again. */
    default void restart() throws Exception {
        Assumptions.abort("this store cannot be restarted");
    }

    /** Removes what the holder of a lock has in the store, as an operator might. */
    default void evict(String lock) throws Exception {
        Assumptions.abort("this store does not let strangers remove a holder");
    }

    /** Tickets, leases, watches and sessions that the server still has, each in a sentence; of this fixture only. */
    List<String> leftovers() throws Exception;

    /** Lets go of the server. */
    @Override
    void close() throws Exception;
}
