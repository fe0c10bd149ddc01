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

/** The store of a run: how a worker reaches its servers, and what can befall them. Its verbs are called by one thread at a time. */
interface Servers extends AutoCloseable {

    /** Where the locks are. */
    String uri();

    /** Whether they are used for simple locks, which have no queue. */
    default boolean areSimple() {
        return Locks.areSimple(uri());
    }

    /** A way to the servers for one worker. */
    Way way();

    /** A way for a worker with another driver; empty if there is none. */
    default Optional<Way> otherWay() {
        return Optional.empty();
    }

    /** What can befall the servers. */
    Set<FaultKind> faults();

    /**
     * Does what has to be done a while before something befalls them.
     *
     * @param kind one of {@link #faults()}
     * @return how long before
     */
    default Duration prepare(FaultKind kind) {
        return Duration.ZERO;
    }

    /**
     * Has something befall them.
     *
     * @param kind one of {@link #faults()}
     * @return what takes it back, and waits until they serve again; to be run after a while
     */
    Runnable strike(FaultKind kind);

    /**
     * Whether, if this befalls it, the store itself says that two may be inside for a moment, because it forgets what it has
     * answered or takes a session away: only the token protects then.
     */
    default boolean forgets(FaultKind kind) {
        return false;
    }

    /** Whether, as long as this befalls them, they serve and refuse whatever would change anything. */
    default boolean refuses(FaultKind kind) {
        return false;
    }

    /** Whether they go by a clock that can be set: see {@link #moveClock}. */
    default boolean hasClock() {
        return false;
    }

    /**
     * Sets the servers' clock.
     *
     * @param step by how much forward; negative: back
     */
    default void moveClock(Duration step) {
        throw new UnsupportedOperationException("these servers have no clock that can be set");
    }

    /**
     * Brings the time nearer when they forget a lock for which nobody asks any more.
     *
     * @param lock its name
     * @param time by how much
     */
    default void age(String lock, Duration time) {
        throw new UnsupportedOperationException("these servers forget no lock");
    }

    /** How the requests of its protocol are told apart and refused; empty if that is not known. */
    default Optional<Protocol> protocol() {
        return Optional.empty();
    }

    /** Which of the servers that were started has died by itself, and not by what has befallen it here. May be called by any thread. */
    default Optional<ServerDeath> death() {
        return Optional.empty();
    }

    /** What is left in the store that somebody would have to clear away, after everybody has gone. */
    default List<String> leftovers() {
        return List.of();
    }

    @Override
    void close();

    /** A clock for processes of servers; empty if there can be none on this machine. */
    static Optional<ProcessClock> clock() {
        return ProcessClock.isPossible() ? Optional.of(ProcessClock.start()) : Optional.empty();
    }

    /** What is added to the environment of processes that go by a clock. */
    static Map<String, String> environment(Optional<ProcessClock> clock) {
        return clock.map(ProcessClock::environment).orElse(Map.of());
    }

    /** Those of some faults that can be made on this machine. */
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

    /** All kinds of faults that such a run may have. */
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

    /** A protocol as far as faults need it. */
    interface Protocol {

        /** What kind of request this is; empty if it is none that a lock needs. */
        Optional<String> kind(ByteBuffer request);

        /**
         * An answer that refuses it.
         *
         * @param request which
         * @param which of the errors
         */
        byte[] refuse(ByteBuffer request, int which);
    }

    /**
     * How a worker reaches the servers.
     *
     * @param uri of the store, which leads through the proxies if it can
     * @param proxies by the port of the server behind each; none if there is no network between
     * @param mapped whether the URI names the servers themselves, and the proxies are to be put in their places
     * @param table the URL of a database with a {@link FencedTable} for the worker's writes, if there is one
     */
    record Way(String uri, Map<Integer, TcpProxy> proxies, boolean mapped, Optional<String> table) {

        /** Without a network between. */
        static Way direct(String uri) {
            return new Way(uri, Map.of(), false, Optional.empty());
        }

        /** As an argument for a worker: {@code port=port,..}, or {@code -}. */
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
