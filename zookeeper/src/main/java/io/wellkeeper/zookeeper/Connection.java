package io.wellkeeper.zookeeper;

import io.wellkeeper.Registration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;

/** Gives the ZooKeeper handle of a session, and reports its state. */
interface Connection {

    /**
     * The current handle; a handle whose session has expired may be replaced by another.
     *
     * @return fails if there is no handle just now; fails with {@link io.wellkeeper.spi.StoreRefusalException} if there
     *     will be none any more, or none before the user starts the client
     */
    CompletionStage<ZooKeeper> zooKeeper();

    /**
     * Registers a listener for every change of the handle's state.
     *
     * @param listener called on ZooKeeper's event thread
     * @return empty if the connection does not tell of the state
     */
    Optional<Registration> onState(Consumer<KeeperState> listener);

    /**
     * A moment before the handle began its last successful attempt to connect; valid while a listener is called. Empty
     * if it is not known.
     */
    default OptionalLong connectedSince() {
        return OptionalLong.empty();
    }

    /** The hosts that it was told to connect to, if none of them has an address; else empty. Never fails. */
    default CompletionStage<String> unknownHosts() {
        return CompletableFuture.completedFuture("");
    }

    /** Whether {@link #leaveServer} is of any use: there is another server, and the connection is our own. */
    default boolean canLeaveServer() {
        return false;
    }

    /** Breaks the connection to the server, so that the handle goes on to the next one. */
    default void leaveServer() {}

    /** Whether closing ends the ZooKeeper session, so that nobody else uses it. */
    boolean owned();

    /** Closes the connection, unless it was handed in. Does not block. */
    CompletionStage<Void> close();
}
