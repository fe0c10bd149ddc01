package io.wellkeeper.torture;

import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What befalls a worker, or the servers. */
enum FaultKind {
    /** The process of a holder ends as by {@code kill -9}. */
    KILL(Victim.HOLDER, 0.1, 0.3),
    /** The process of a holder ends likewise, and the next one in its place uses another driver, which is set up otherwise. */
    OTHER_DRIVER(Victim.HOLDER, 0.3, 0.6),
    /** The process of a holder stands still for longer than its session lives. */
    PAUSE(Victim.HOLDER, 1.3, 2),
    /** The process of a holder stands still, and goes on before its session has ended. */
    SHORT_PAUSE(Victim.HOLDER, 0.1, 0.4),
    /** The process of a holder stands still for long right after it has sent a request, before it has the answer. */
    PAUSE_AT_REQUEST(Victim.HOLDER, 1.3, 2),
    /** The connections of a holder are cut; it may connect again at once. */
    CUT(Victim.HOLDER, 0.1, 0.2),
    /** Nothing passes between a holder and the servers, in either direction; what was sent comes afterwards. */
    SILENCE(Victim.HOLDER, 1.3, 2),
    /**
     * The kernel drops all packets between a holder and the servers: whoever connects gets no answer either, and what was sent is sent
     * again after ever longer pauses.
     */
    DROP(Victim.HOLDER, 1.3, 2),
    /** What a holder sends reaches the servers, but it hears nothing. */
    DEAFNESS(Victim.HOLDER, 1.3, 2),
    /** What a holder sends does not reach the servers, though it hears them. */
    MUTENESS(Victim.HOLDER, 1.3, 2),
    /**
     * Nothing passes between a holder and the servers, whose clock is set forward just then by less than what the holder has in
     * reserve.
     */
    CLOCK_STEP(Victim.HOLDER, 1.3, 2),
    /** The time of day is set forward for the process of a holder. It loses nothing by that. */
    CLIENT_CLOCK_FORWARD(Victim.HOLDER, 0.5, 1),
    /** The time of day is set back for the process of a holder. It loses nothing by that. */
    CLIENT_CLOCK_BACK(Victim.HOLDER, 0.5, 1),
    /** All that a holder sends and hears is late, by a tenth of a session in all. */
    DELAY(Victim.HOLDER, 0.5, 1.5),
    /** A request of a holder is carried out, and the connection breaks before the answer. */
    LOST_REPLY(Victim.HOLDER, 0.1, 0.2),
    /** The same, and the next request of that kind is answered with an error. */
    REFUSED_REPETITION(Victim.HOLDER, 0.1, 0.2),
    /**
     * A holder counts a latch down again and again, and so does somebody else; some of the holder's requests are carried out, and the
     * connection breaks before the answer.
     */
    LOST_COUNTS(Victim.HOLDER, 1, 1.5),
    /** The client of a holder is asked for thousands of other locks at once. It may be slow, and loses nothing by that. */
    BURST(Victim.HOLDER, 0.5, 1),
    /** The process of somebody who waits behind a holder ends as by {@code kill -9}. */
    KILL_WAITER(Victim.WAITER, 0.1, 0.3),
    /** The process of somebody who waits stands still for longer than its session lives. */
    PAUSE_WAITER(Victim.WAITER, 1.3, 2),
    /** The connections of somebody who waits are cut. */
    CUT_WAITER(Victim.WAITER, 0.1, 0.2),
    /** The connections of somebody who waits are cut again and again, four times in the life of a session. */
    REPEATED_CUTS(Victim.WAITER, 4.5, 5.5),
    /** Nothing passes between somebody who waits and the servers. */
    SILENCE_WAITER(Victim.WAITER, 1.3, 2),
    /** The kernel drops all packets between somebody who waits and the servers. */
    DROP_WAITER(Victim.WAITER, 1.3, 2),
    /** All servers are killed, and started again at once with what they have kept. */
    RESTART(Victim.SERVERS, 0, 0.1),
    /**
     * A lock is taken away from a holder who hears nothing of it just then; as soon as the next one is inside, all servers are
     * killed, and started again at once with what they have kept.
     */
    BROKEN_LOCK(Victim.SERVERS, 1.3, 1.6),
    /** All servers are killed, and started again with what they have kept when no session can live any more. */
    OUTAGE(Victim.SERVERS, 1.3, 2),
    /** All servers stand still for a moment. */
    STALL(Victim.SERVERS, 0.1, 0.4),
    /** All servers stand still for longer than a session lives. */
    HANG(Victim.SERVERS, 1.3, 2),
    /** The server that leads, or one of several masters, is killed, and is back later. */
    KILL_LEADER(Victim.SERVERS, 0.5, 1),
    /** The server that leads, or one of several masters, stands still for longer than a session lives. */
    PAUSE_LEADER(Victim.SERVERS, 1.3, 2),
    /** The others lose the server that leads, and elect another one, while it believes that it leads. */
    SEPARATE_LEADER(Victim.SERVERS, 1.3, 2),
    /** The server that leads is told to make room for another one. */
    FAILOVER(Victim.SERVERS, 0.5, 1),
    /** All servers are killed, and started again without their data. */
    DATA_LOSS(Victim.SERVERS, 1.3, 1.6),
    /** All data are deleted. */
    FLUSH(Victim.SERVERS, 1.3, 1.6),
    /** The servers are killed, and started again with what they had been longer than a session before. */
    OLD_SNAPSHOT(Victim.SERVERS, 1.3, 1.6),
    /** The servers are killed, and started again with what they had been a part of a session before. */
    YOUNG_SNAPSHOT(Victim.SERVERS, 1.3, 1.6),
    /** Of several masters another one takes over some of the locks, with all that belongs to them. */
    MOVE_SLOT(Victim.SERVERS, 0.1, 0.5),
    /** The servers have no memory left, and refuse what needs more. */
    FULL(Victim.SERVERS, 0.5, 1.5),
    /** A server can write nothing more to its disk for a while. If it ends by that, it is started again when it can. */
    DISK_FULL(Victim.SERVERS, 0.5, 1.5),
    /** The clock of the servers is set forward by more than a session lives. */
    CLOCK_FORWARD(Victim.SERVERS, 1.3, 1.6),
    /** The clock of the servers is set back by more than a session lives. Nobody loses anything by that; the dead stay for longer. */
    CLOCK_BACK(Victim.SERVERS, 1.3, 1.6),
    /** A lock is contended for longer than the servers keep what belongs to one that nobody asks for. */
    LONG_CONTENTION(Victim.SERVERS, 0.5, 1),
    /** A stranger's transaction keeps the row of a lock for itself. */
    BUSY_ROW(Victim.SERVERS, 1.3, 1.6),
    /** The numbers of a lock that is there for this come to their end, and the second time to that of all numbers. */
    LAST_NUMBER(Victim.SERVERS, 0.3, 0.6),
    /** The servers end a session before its time. */
    END_SESSION(Victim.SERVERS, 0.5, 1),
    /** The process that serves one connection is killed: the database breaks all, and recovers. */
    KILL_BACKEND(Victim.SERVERS, 0.1, 0.3),
    /** The servers break some connections. */
    KILL_CONNECTIONS(Victim.SERVERS, 0.1, 0.3);

    /** Whom it befalls. */
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

    /** How long it lasts at least, in session timeouts. */
    double shortest() {
        return shortest;
    }

    /** How long it lasts at most, in session timeouts. */
    double longest() {
        return longest;
    }

    /** Whether it needs somebody who waits behind the holder. */
    boolean needsWaiter() {
        return victim == Victim.WAITER || this == BROKEN_LOCK;
    }

    /** Whether somebody's process ends by it, and another one is started. */
    boolean isOfDeath() {
        return this == KILL || this == KILL_WAITER || this == OTHER_DRIVER;
    }

    /** Whether it is made at a lock that has one holder at a time. */
    boolean needsMutex() {
        return this == BROKEN_LOCK || this == LONG_CONTENTION;
    }

    /** Whether it befalls a worker, and needs nothing but its process. */
    boolean isOfProcess() {
        return this == BURST || (STOPPING.contains(this) && this != PAUSE_AT_REQUEST && this != OTHER_DRIVER);
    }

    /** Whether the worker that it befalls needs a clock of its own. */
    boolean isOfClientClock() {
        return this == CLIENT_CLOCK_FORWARD || this == CLIENT_CLOCK_BACK;
    }

    /** Whether it befalls a worker that is not on the same machine as the store, or its way to it. */
    boolean isOfNetwork() {
        return victim != Victim.SERVERS && !isOfProcess();
    }

    /** How it is written in a history. */
    String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The kind of that name, if there is one. */
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

    /** Whether the servers have, after a fault of this name, what they had before. */
    static boolean bringsBack(String word) {
        return BRINGING_BACK.contains(word);
    }
}
