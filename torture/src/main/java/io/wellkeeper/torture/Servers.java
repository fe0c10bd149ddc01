package io.wellkeeper.torture;

import io.wellkeeper.testservers.DiskSpace;
import io.wellkeeper.testservers.PacketFilter;
import io.wellkeeper.testservers.ProcessClock;
import io.wellkeeper.testservers.ServerDeath;
import io.wellkeeper.testservers.TcpProxy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The store of a run: the ways to its servers, and the faults of the servers. Its methods are called by one thread at a
 * time.
 */
interface Servers extends AutoCloseable {

    /** The URI of the store. */
    String uri();

    /** Whether the store is used for simple locks, which have no queue. */
    default boolean areSimple() {
        return Locks.areSimple(uri());
    }

    /** A way to the servers for one worker. */
    Way way();

    /** A way for a worker with another driver; empty if there is none. */
    default Optional<Way> otherWay() {
        return Optional.empty();
    }

    /** The faults that the servers can have. */
    Set<FaultKind> faults();

    /**
     * Prepares a fault of the servers.
     *
     * @param kind one of {@link #faults()}
     * @return how long before the fault this has to be done
     */
    default Duration prepare(FaultKind kind) {
        return Duration.ZERO;
    }

    /**
     * Makes a fault of the servers.
     *
     * @param kind one of {@link #faults()}
     * @return a task that takes the fault back, and waits until the servers serve again; to be run after a while
     */
    Runnable strike(FaultKind kind);

    /**
     * Whether by this fault two holders may be inside for a moment, as the store itself says, because it forgets
     * acknowledged changes or takes a session away. Then only the token protects.
     */
    default boolean forgets(FaultKind kind) {
        return false;
    }

    /** Whether during this fault the servers serve, but refuse each change. */
    default boolean refuses(FaultKind kind) {
        return false;
    }

    /** Whether the servers use a clock that can be set: see {@link #moveClock}. */
    default boolean hasClock() {
        return false;
    }

    /**
     * Sets the servers' clock.
     *
     * @param step by how much forward; back if negative
     */
    default void moveClock(Duration step) {
        throw new UnsupportedOperationException("these servers have no clock that can be set");
    }

    /**
     * Makes the servers forget a lock earlier if no client asks for it any more.
     *
     * @param lock the name of the lock
     * @param time by how much earlier
     */
    default void age(String lock, Duration time) {
        throw new UnsupportedOperationException("these servers forget no lock");
    }

    /** How the requests of the clients are told apart and refused; empty if that is not known. */
    default Optional<Protocol> protocol() {
        return Optional.empty();
    }

    /** The death of one of the started servers that was not caused by a planned fault. May be called by any thread. */
    default Optional<ServerDeath> death() {
        return Optional.empty();
    }

    /** The data left in the store, after all clients have gone, that an operator would have to clear away. */
    default List<String> leftovers() {
        return List.of();
    }

    @Override
    void close();

    /** A clock for processes of servers; empty if this machine cannot have one. */
    static Optional<ProcessClock> clock() {
        return ProcessClock.isPossible() ? Optional.of(ProcessClock.start()) : Optional.empty();
    }

    /** The environment variables for processes that use a clock. */
    static Map<String, String> environment(Optional<ProcessClock> clock) {
        return clock.map(ProcessClock::environment).orElse(Map.of());
    }

    /** The faults of these that can be made on this machine. */
    default Set<FaultKind> possible(Set<FaultKind> faults) {
        Set<FaultKind> possible = EnumSet.copyOf(faults);
        if (!DiskSpace.canBeTaken()) {
            possible.remove(FaultKind.DISK_FULL);
        }
        if (!hasClock()) {
            possible.removeAll(EnumSet.of(FaultKind.CLOCK_FORWARD, FaultKind.CLOCK_BACK));
        }
        return possible;
    }

    /** All kinds of faults that a run on this store may have. */
    default Set<FaultKind> allFaults() {
        Set<FaultKind> all = EnumSet.copyOf(
                Arrays.stream(FaultKind.values()).filter(FaultKind::isOfProcess).toList());
        Way way = way();
        boolean proxies = !way.all().isEmpty();
        way.close();
        Optional<Way> other = otherWay();
        other.ifPresent(Way::close);
        for (FaultKind kind : FaultKind.values()) {
            boolean able = switch (kind) {
                case PAUSE_AT_REQUEST, LOST_REPLY, REFUSED_REPETITION ->
                    protocol().isPresent();
                case LOST_COUNTS -> protocol().isPresent() && !areSimple();
                case CLOCK_STEP -> hasClock();
                case OTHER_DRIVER -> other.isPresent();
                case DROP, DROP_WAITER -> PacketFilter.isPossible();
                case CLIENT_CLOCK_FORWARD, CLIENT_CLOCK_BACK -> ProcessClock.isPossible();
                default -> true;
            };
            if (proxies && kind.isOfNetwork() && able) {
                all.add(kind);
            }
        }
        all.addAll(faults());
        return all;
    }

    /** The parts of a protocol that faults need. */
    interface Protocol {

        /** The kind of a request; empty if locks do not need the request. */
        Optional<String> kind(ByteBuffer request);

        /**
         * Makes an answer that refuses a request.
         *
         * @param request the request
         * @param which the number of the error
         */
        byte[] refuse(ByteBuffer request, int which);
    }

    /**
     * How a worker reaches the servers.
     *
     * @param uri of the store; it names the proxies if that is possible
     * @param proxies by the port of the server behind each; empty if there is no network between
     * @param mapped whether the URI names the servers themselves, so that the worker has to use the proxies instead
     * @param table the URL of a database with a {@link FencedTable} for the worker's writes, if there is one
     */
    record Way(String uri, Map<Integer, TcpProxy> proxies, boolean mapped, Optional<String> table) {

        /** A way without a network between. */
        static Way direct(String uri) {
            return new Way(uri, Map.of(), false, Optional.empty());
        }

        /** The proxies as an argument for a worker: {@code port=port,..}, or {@code -}. */
        String mapping() {
            return !mapped
                    ? "-"
                    : proxies.entrySet().stream()
                            .map(proxy ->
                                    proxy.getKey() + "=" + proxy.getValue().port())
                            .collect(Collectors.joining(","));
        }

        Collection<TcpProxy> all() {
            return proxies.values();
        }

        void close() {
            all().forEach(TcpProxy::close);
        }
    }
}
