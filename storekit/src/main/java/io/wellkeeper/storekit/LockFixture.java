package io.wellkeeper.storekit;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockSource;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/**
 * What the contracts of locks need from a store: clients, and methods for the failures of clients and servers. If such
 * a method is not implemented, its tests are skipped, and say so.
 */
public interface LockFixture extends AutoCloseable {

    /**
     * Makes a client with a connection of its own, as each process has one. {@link #close()} closes the connection at
     * the latest.
     *
     * @param options the options of the client
     * @return a {@link LockClient} over a store that keeps a queue; the kit closes it
     * @throws Exception if that fails, and so the test
     */
    LockSource newClient(ClientOptions options) throws Exception;

    /** {@return whether the store has true fencing tokens} */
    default boolean hasTokens() {
        return true;
    }

    /** {@return a session timeout that is longer than any test} */
    default Duration longTimeout() {
        return Duration.ofSeconds(60);
    }

    /** {@return the shortest session timeout that the store supports} */
    default Duration shortTimeout() {
        return Duration.ofSeconds(1);
    }

    /**
     * Ends the client's session, or leases, at the server; the client can open another session.
     *
     * @param client a client that this fixture has made
     * @throws Exception if that fails, and so the test
     */
    default void lose(LockSource client) throws Exception {
        Assumptions.abort("this store cannot be made to end a session");
    }

    /**
     * Breaks the client's connection until {@link #mend}.
     *
     * @param client a client that this fixture has made
     * @throws Exception if that fails, and so the test
     */
    default void cut(LockSource client) throws Exception {
        Assumptions.abort("this store's connections cannot be cut");
    }

    /**
     * Ends {@link #cut}.
     *
     * @param client a client whose connection was cut
     * @throws Exception if that fails, and so the test
     */
    default void mend(LockSource client) throws Exception {
        Assumptions.abort("this store's connections cannot be mended");
    }

    /**
     * Keeps the server from answering any request until {@link #resume}, without breaking a connection.
     *
     * @throws Exception if that fails, and so the test
     */
    default void pause() throws Exception {
        Assumptions.abort("this store cannot be paused");
    }

    /**
     * Ends {@link #pause}.
     *
     * @throws Exception if that fails, and so the test
     */
    default void resume() throws Exception {
        Assumptions.abort("this store cannot be resumed");
    }

    /**
     * Stops the server, paused or not, and starts it again with its data; when this returns, the server answers again.
     *
     * @throws Exception if that fails, and so the test
     */
    default void restart() throws Exception {
        Assumptions.abort("this store cannot be restarted");
    }

    /**
     * Removes the ticket, or lease, of the holder of a lock from the store, as an operator might.
     *
     * @param lock the name of the lock
     * @throws Exception if that fails, and so the test
     */
    default void evict(String lock) throws Exception {
        Assumptions.abort("this store does not let strangers remove a holder");
    }

    /**
     * Looks for leftovers of this fixture.
     *
     * @return the tickets, leases, watches and sessions of this fixture that the server still has, each in a sentence
     * @throws Exception if that fails, and so the test
     */
    List<String> leftovers() throws Exception;

    /** Releases the server. */
    @Override
    void close() throws Exception;
}
