package io.wellkeeper.zookeeper;

import io.wellkeeper.Registration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;

/** What gives the ZooKeeper handle of a session, and tells how it fares. */
interface Connection {

    /**
     * The handle there is at present; one whose session has expired may be replaced.
     *
     * @return fails if there is none just now, and with {@link io.wellkeeper.spi.StoreRefusalException} if there will be none any
     *     more, or not before somebody starts it
     */
    CompletionStage<ZooKeeper> zooKeeper();

    /**
     * Has someone told of every change of the handle's state.
     *
     * @param listener called on ZooKeeper's event thread
     */
    Registration onState(Consumer<KeeperState> listener);

    /**
     * For a listener that is told of the state, while it is told: a moment before the handle began to connect for the last
     * time. Empty if nobody knows.
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

    /** Ends what was opened here; a connection that was handed in stays open. Does not block. */
    CompletionStage<Void> close();
}
