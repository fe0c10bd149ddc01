package io.wellkeeper.torture;

import java.util.Locale;

/** What befalls a worker. */
enum FaultKind {
    /** Its process ends as by {@code kill -9}. */
    KILL(0.1, 0.3),
    /** Its process stands still for longer than its session lives. */
    PAUSE(1.3, 2),
    /** Its process stands still, and goes on before its session has ended. */
    SHORT_PAUSE(0.1, 0.4),
    /** Its connections are cut; it may connect again at once. */
    CUT(0.1, 0.2),
    /** Nothing passes between it and the servers, in either direction; what was sent comes afterwards. */
    SILENCE(1.3, 2);

    private final double shortest;
    private final double longest;

    FaultKind(double shortest, double longest) {
        this.shortest = shortest;
        this.longest = longest;
    }

    /** How long it lasts at least, in session timeouts. */
    double shortest() {
        return shortest;
    }

    /** How long it lasts at most, in session timeouts. */
    double longest() {
        return longest;
    }

    /** How it is written in a history. */
    String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Whether a fault of this name keeps a process from running. */
    static boolean stops(String word) {
        return word.equals(KILL.word()) || word.equals(PAUSE.word()) || word.equals(SHORT_PAUSE.word());
    }
}
