package io.wellkeeper.torture;

import java.util.Locale;

/** What befalls a worker. */
enum FaultKind {
    /** Its process ends as by {@code kill -9}. */
    KILL,
    /** Its process stands still for longer than its session lives. */
    PAUSE,
    /** Its process stands still, and goes on before its session has ended. */
    SHORT_PAUSE,
    /** Its connections are cut; it may connect again at once. */
    CUT,
    /** Nothing passes between it and the servers, in either direction; what was sent comes afterwards. */
    SILENCE;

    /** How it is written in a history. */
    String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Whether a fault of this name keeps a process from running. */
    static boolean stops(String word) {
        return word.equals(KILL.word()) || word.equals(PAUSE.word()) || word.equals(SHORT_PAUSE.word());
    }
}
