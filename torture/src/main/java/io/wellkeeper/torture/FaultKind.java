package io.wellkeeper.torture;

import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The kinds of faults of a worker, or of the servers. */
enum FaultKind {
    /** The process of a holder ends as by {@code kill -9}. */
    KILL(Victim.HOLDER, 0.1, 0.3),
    /** The same, and the process that replaces the holder's uses another driver with other settings. */
    OTHER_DRIVER(Victim.HOLDER, 0.3, 0.6),
    /** The process of a holder is stopped for longer than its session lives. */
    PAUSE(Victim.HOLDER, 1.3, 2),
    /** The process of a holder is stopped, and goes on before its session has ended. */
    SHORT_PAUSE(Victim.HOLDER, 0.1, 0.4),
    /** The process of a holder is stopped for long right after it has sent a request, before it has the answer. */
    PAUSE_AT_REQUEST(Victim.HOLDER, 1.3, 2),
    /** The connections of a holder are cut; it may connect again at once. */
    CUT(Victim.HOLDER, 0.1, 0.2),
    /**
     * Nothing passes between a holder and the servers, in either direction; the data that was sent arrives afterwards.
     */
    SILENCE(Victim.HOLDER, 1.3, 2),
    /**
     * The kernel drops all packets between a holder and the servers. New connections get no answer either, and the data
     * that was sent is sent again after ever longer pauses.
     */
    DROP(Victim.HOLDER, 1.3, 2),
    /** The data that a holder sends reaches the servers, but the holder receives nothing. */
    DEAFNESS(Victim.HOLDER, 1.3, 2),
    /** The data that a holder sends does not reach the servers, but the holder receives what they send. */
    MUTENESS(Victim.HOLDER, 1.3, 2),
    /**
     * Nothing passes between a holder and the servers. Just then the clock of the servers is set forward, by less than
     * the holder's reserve.
     */
    CLOCK_STEP(Victim.HOLDER, 1.3, 2),
    /** The time of day of a holder's process is set forward. The holder must lose nothing by that. */
    CLIENT_CLOCK_FORWARD(Victim.HOLDER, 0.5, 1),
    /** The time of day of a holder's process is set back. The holder must lose nothing by that. */
    CLIENT_CLOCK_BACK(Victim.HOLDER, 0.5, 1),
    /** All data that a holder sends and receives is delayed, by a tenth of a session for both ways together. */
    DELAY(Victim.HOLDER, 0.5, 1.5),
    /** A request of a holder is carried out, and the connection breaks before the answer. */
    LOST_REPLY(Victim.HOLDER, 0.1, 0.2),
    /** The same, and the next request of that kind is answered with an error. */
    REFUSED_REPETITION(Victim.HOLDER, 0.1, 0.2),
    /**
     * A holder counts a latch down again and again, and so does another client. Some of the holder's requests are
     * carried out, and the connection breaks before the answer.
     */
    LOST_COUNTS(Victim.HOLDER, 1, 1.5),
    /**
     * The client of a holder is asked for thousands of other locks at once. It may be slow, but must lose nothing by
     * that.
     */
    BURST(Victim.HOLDER, 0.5, 1),
    /** The process of a waiter behind a holder ends as by {@code kill -9}. */
    KILL_WAITER(Victim.WAITER, 0.1, 0.3),
    /** The process of a waiter is stopped for longer than its session lives. */
    PAUSE_WAITER(Victim.WAITER, 1.3, 2),
    /** The connections of a waiter are cut. */
    CUT_WAITER(Victim.WAITER, 0.1, 0.2),
    /** The connections of a waiter are cut again and again, four times within a session timeout. */
    REPEATED_CUTS(Victim.WAITER, 4.5, 5.5),
    /** Nothing passes between a waiter and the servers. */
    SILENCE_WAITER(Victim.WAITER, 1.3, 2),
    /** The kernel drops all packets between a waiter and the servers. */
    DROP_WAITER(Victim.WAITER, 1.3, 2),
    /** All servers are killed, and started again at once with the data that they have kept. */
    RESTART(Victim.SERVERS, 0, 0.1),
    /**
     * A lock is taken away from a holder that is cut off just then. As soon as the next holder is inside, all servers
     * are killed, and started again at once with the data that they have kept.
     */
    BROKEN_LOCK(Victim.SERVERS, 1.3, 1.6),
    /**
     * All servers are killed. They are started again with the data that they have kept when no session can live any
     * more.
     */
    OUTAGE(Victim.SERVERS, 1.3, 2),
    /** All servers are stopped for a moment. */
    STALL(Victim.SERVERS, 0.1, 0.4),
    /** All servers are stopped for longer than a session lives. */
    HANG(Victim.SERVERS, 1.3, 2),
    /** The leading server, or one of several masters, is killed, and started again later. */
    KILL_LEADER(Victim.SERVERS, 0.5, 1),
    /** The leading server, or one of several masters, is stopped for longer than a session lives. */
    PAUSE_LEADER(Victim.SERVERS, 1.3, 2),
    /** The other servers lose the leader, and elect another one, while the old leader still believes that it leads. */
    SEPARATE_LEADER(Victim.SERVERS, 1.3, 2),
    /** The leading server is told to hand over to another one. */
    FAILOVER(Victim.SERVERS, 0.5, 1),
    /** All servers are killed, and started again without their data. */
    DATA_LOSS(Victim.SERVERS, 1.3, 1.6),
    /** All data are deleted. */
    FLUSH(Victim.SERVERS, 1.3, 1.6),
    /** The servers are killed, and started again with their data of more than a session earlier. */
    OLD_SNAPSHOT(Victim.SERVERS, 1.3, 1.6),
    /** The servers are killed, and started again with their data of a part of a session earlier. */
    YOUNG_SNAPSHOT(Victim.SERVERS, 1.3, 1.6),
    /** Some of the locks, with all their keys, move from one of several masters to another. */
    MOVE_SLOT(Victim.SERVERS, 0.1, 0.5),
    /** The servers have no memory left, and refuse requests that need more. */
    FULL(Victim.SERVERS, 0.5, 1.5),
    /**
     * A server cannot write to its disk for a while. If it ends by that, it is started again when it can write again.
     */
    DISK_FULL(Victim.SERVERS, 0.5, 1.5),
    /** The clock of the servers is set forward by more than a session lives. */
    CLOCK_FORWARD(Victim.SERVERS, 1.3, 1.6),
    /**
     * The clock of the servers is set back by more than a session lives. No client must lose anything by that; the
     * tickets of dead clients stay for longer.
     */
    CLOCK_BACK(Victim.SERVERS, 1.3, 1.6),
    /** A lock is contended for longer than the servers keep the data of an unused lock. */
    LONG_CONTENTION(Victim.SERVERS, 0.5, 1),
    /** A transaction that is not Wellkeeper's keeps the row of a lock locked. */
    BUSY_ROW(Victim.SERVERS, 1.3, 1.6),
    /**
     * The numbers of a lock that is used only for this come to their end; the second time to the end of all numbers.
     */
    LAST_NUMBER(Victim.SERVERS, 0.3, 0.6),
    /** The servers end a session before its timeout. */
    END_SESSION(Victim.SERVERS, 0.5, 1),
    /** The process that serves one connection is killed: the database breaks all connections, and recovers. */
    KILL_BACKEND(Victim.SERVERS, 0.1, 0.3),
    /** The servers break some connections. */
    KILL_CONNECTIONS(Victim.SERVERS, 0.1, 0.3);

    /** Whom a fault befalls. */
    enum Victim {
        HOLDER,
        WAITER,
        SERVERS
    }

    private static final Set<FaultKind> STOPPING =
            Set.of(KILL, OTHER_DRIVER, PAUSE, SHORT_PAUSE, PAUSE_AT_REQUEST, KILL_WAITER, PAUSE_WAITER);
    private static final Set<String> HARMLESS = Stream.of(
                    BURST, CLIENT_CLOCK_FORWARD, CLIENT_CLOCK_BACK, CLOCK_BACK, BUSY_ROW, LAST_NUMBER)
            .map(FaultKind::word)
            .collect(Collectors.toUnmodifiableSet());
    private static final Set<String> BRINGING_BACK =
            Stream.of(OLD_SNAPSHOT, YOUNG_SNAPSHOT).map(FaultKind::word).collect(Collectors.toUnmodifiableSet());
    private static final Set<String> STOPS =
            STOPPING.stream().map(FaultKind::word).collect(Collectors.toUnmodifiableSet());

    private final Victim victim;
    private final double shortest;
    private final double longest;

    FaultKind(Victim victim, double shortest, double longest) {
        this.victim = victim;
        this.shortest = shortest;
        this.longest = longest;
    }

    Victim victim() {
        return victim;
    }

    /** How long a fault of this kind lasts at least, in session timeouts. */
    double shortest() {
        return shortest;
    }

    /** How long a fault of this kind lasts at most, in session timeouts. */
    double longest() {
        return longest;
    }

    /** Whether this fault needs a waiter behind the holder. */
    boolean needsWaiter() {
        return victim == Victim.WAITER || this == BROKEN_LOCK;
    }

    /** Whether a worker process ends by this fault, and another one is started. */
    boolean isOfDeath() {
        return this == KILL || this == KILL_WAITER || this == OTHER_DRIVER;
    }

    /** Whether this fault needs a lock that has one holder at a time. */
    boolean needsMutex() {
        return this == BROKEN_LOCK || this == LONG_CONTENTION;
    }

    /** Whether this fault befalls a worker, and needs only its process. */
    boolean isOfProcess() {
        return this == BURST || (STOPPING.contains(this) && this != PAUSE_AT_REQUEST && this != OTHER_DRIVER);
    }

    /** Whether the worker that this fault befalls needs a clock of its own. */
    boolean isOfClientClock() {
        return this == CLIENT_CLOCK_FORWARD || this == CLIENT_CLOCK_BACK;
    }

    /** Whether this fault befalls a worker or its way to the servers, and needs a network between them. */
    boolean isOfNetwork() {
        return victim != Victim.SERVERS && !isOfProcess();
    }

    /** The name of this kind in a history. */
    String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The kind of fault with that name, if there is one. */
    static Optional<FaultKind> of(String word) {
        return Stream.of(values()).filter(kind -> kind.word().equals(word)).findFirst();
    }

    /** Whether a process may lose its session by a fault of this name. */
    static boolean mayEndSession(String word) {
        return !HARMLESS.contains(word);
    }

    /** Whether a fault of this name keeps a process from running. */
    static boolean stops(String word) {
        return STOPS.contains(word);
    }

    /** Whether the servers go back to older data by a fault of this name. */
    static boolean bringsBack(String word) {
        return BRINGING_BACK.contains(word);
    }
}
