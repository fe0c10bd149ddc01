package io.wellkeeper.torture;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Failures of locks that have cost users their exclusion or their time, and the faults by which each shows. */
enum PastFailure {
    WRITES_AFTER_A_PAUSE(
            "Curator, Redisson: a process that stood still for longer than its session writes when the next one is in",
            FaultKind.PAUSE),
    EXPIRED_WHEN_LET_IN("etcd: a waiter is let in with a session that ended while it waited", FaultKind.PAUSE_WAITER),
    TOLD_AFTER_THE_NEXT_ONE(
            "Curator, Redisson: a holder that is cut off is told seconds after the next one came in, or never",
            FaultKind.SILENCE,
            FaultKind.DROP,
            FaultKind.DEAFNESS,
            FaultKind.MUTENESS),
    LOST_WAKE_UP(
            "Redisson: a waiter whose connection breaks as the lock is released sleeps until the old lease would have ended",
            FaultKind.CUT_WAITER,
            FaultKind.SILENCE_WAITER,
            FaultKind.DROP_WAITER),
    DEAD_CLIENT_COSTS_OTHERS(
            "Wellkeeper: whoever cleared away what a dead client had left lost his own locks meanwhile",
            FaultKind.KILL,
            FaultKind.KILL_WAITER),
    WAITS_BEHIND_ITSELF(
            "Wellkeeper: after an outage a client waited behind the tickets of its own dead session",
            FaultKind.OUTAGE,
            FaultKind.SILENCE,
            FaultKind.SILENCE_WAITER),
    TOKENS_START_AGAIN(
            "Redisson: after a server lost its data the tokens are small again, and rightful holders are refused",
            FaultKind.DATA_LOSS,
            FaultKind.FLUSH,
            FaultKind.OLD_SNAPSHOT),
    WAITER_LET_IN_BY_A_LOSS(
            "Wellkeeper: a waiter took the empty queue of a server that had lost its data for its turn",
            FaultKind.DATA_LOSS,
            FaultKind.FLUSH,
            FaultKind.OLD_SNAPSHOT),
    FAILOVER_FORGETS(
            "Redisson: a replica that takes over does not know of the holder",
            FaultKind.KILL_LEADER,
            FaultKind.PAUSE_LEADER,
            FaultKind.FAILOVER),
    DEPOSED_LEADER(
            "Wellkeeper: a leader that had lost its followers went on confirming the holders",
            FaultKind.SEPARATE_LEADER,
            FaultKind.PAUSE_LEADER,
            FaultKind.KILL_LEADER),
    NODE_TAKEN_AWAY(
            "Curator: a stranger deletes the node of a holder, who goes on believing that he holds",
            FaultKind.END_SESSION),
    TAKEN_TWICE(
            "Wellkeeper: the answer to a request was lost, its repetition refused, and the first ticket stayed in the way",
            FaultKind.LOST_REPLY,
            FaultKind.REFUSED_REPETITION),
    COUNTED_TWICE(
            "Wellkeeper: a latch was counted down twice when the answer to a request was lost, and somebody else counted then",
            FaultKind.LOST_COUNTS),
    STOPPED_IN_A_TRANSACTION(
            "Wellkeeper: a client that stood still between two requests kept everybody else from all their locks",
            FaultKind.PAUSE_AT_REQUEST),
    ROW_OF_A_STRANGER(
            "Wellkeeper: whoever asked for a lock whose row was in a stranger's transaction lost his other locks meanwhile",
            FaultKind.BUSY_ROW),
    BURST_COSTS_THE_LOCKS(
            "Wellkeeper: a client that was asked for thousands of locks at once lost those that it had",
            FaultKind.BURST),
    NO_MEMORY_COSTS_THE_LOCKS("Wellkeeper: all locks were lost when the server's memory was full", FaultKind.FULL),
    WAITS_FOR_A_FULL_DISK(
            "Wellkeeper: whoever asked for a lock of a server whose disk was full waited as if that would pass, and was not told",
            FaultKind.DISK_FULL),
    MOVED_OUT_OF_REACH(
            "Wellkeeper: a part of a Cluster that had moved could not be reached any more", FaultKind.MOVE_SLOT),
    REMOVAL_UNDONE(
            "Wellkeeper: a crash of the server undid that a lock was taken away, and the former holder stayed inside beside the next",
            FaultKind.BROKEN_LOCK),
    STARVED_BY_CUTS(
            "Wellkeeper: a waiter whose connection broke about once a second stood first in the queue for long without getting in",
            FaultKind.REPEATED_CUTS),
    EXPIRED_IN_USE(
            "Wellkeeper: a lock that was contended for a day expired, and a newcomer got in beside the holder",
            FaultKind.LONG_CONTENTION),
    TWO_CHARACTER_SETS(
            "Wellkeeper: a name with an umlaut was two locks for clients whose drivers had other character sets",
            FaultKind.OTHER_DRIVER),
    PASSES_THE_FENCE(
            "Wellkeeper: the fence in the database let every old token pass if the writer's driver counts only rows that change",
            FaultKind.OTHER_DRIVER,
            FaultKind.PAUSE),
    BROKEN_CONNECTIONS(
            "PostgreSQL's advisory locks: a holder whose connection was killed learns of it by its next statement only",
            FaultKind.KILL_CONNECTIONS,
            FaultKind.KILL_BACKEND,
            FaultKind.CUT),
    HANGS_WITH_THE_SERVER(
            "Redisson: a question whether one holds takes as long as the server is silent",
            FaultKind.STALL,
            FaultKind.HANG,
            FaultKind.DELAY),
    BLOCKED_AFTER_A_RESTART(
            "Wellkeeper: a lock whose release a restart had forgotten stayed locked",
            FaultKind.YOUNG_SNAPSHOT,
            FaultKind.RESTART),
    CLOCK_SET_FORWARD(
            "Redis: a lock whose time to live the server counts by its wall clock ends early when that is set, beside its holder",
            FaultKind.CLOCK_STEP,
            FaultKind.CLOCK_FORWARD),
    CLOCK_SET_BACK(
            "Wellkeeper: after a failover to a server whose clock was behind, a client gave the wrong ticket back without knowing it",
            FaultKind.CLOCK_BACK),
    CLOCK_OF_THE_CLIENT(
            "ShedLock: whoever has a clock that is ahead gets in before the lock of another one is over",
            FaultKind.CLIENT_CLOCK_FORWARD,
            FaultKind.CLIENT_CLOCK_BACK),
    BEYOND_THE_LAST_NUMBER(
            "Wellkeeper: whoever asked for a lock for which there was no larger number any more lost all that he had",
            FaultKind.LAST_NUMBER),
    HELD_UP_THREAD(
            "Wellkeeper: a lock was lost to its rightful holder when a thread of the same client had been held up",
            FaultKind.SHORT_PAUSE);

    private final String story;
    private final List<FaultKind> faults;

    PastFailure(String story, FaultKind... faults) {
        this.story = story;
        this.faults = List.of(faults);
    }

    /** Whose locks failed, and what happened. */
    String story() {
        return story;
    }

    /** The faults each of which may show the failure, on stores that can have the fault. */
    List<FaultKind> faults() {
        return faults;
    }

    /** The name of this failure on a command line. */
    String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The failure with this name, if there is one. */
    static Optional<PastFailure> of(String word) {
        return Arrays.stream(values())
                .filter(failure -> failure.word().equals(word))
                .findFirst();
    }
}
