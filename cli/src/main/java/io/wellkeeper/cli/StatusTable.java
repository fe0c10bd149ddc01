package io.wellkeeper.cli;

import io.wellkeeper.LockStatus;
import io.wellkeeper.Participant;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** A lock's queue as text for people. */
final class StatusTable {

    /** Columns that may be left out: mostly the client's name contains the host and the process id. */
    private static final List<String> DISPENSABLE = List.of("SINCE", "HOST", "PID", "NUMBER", "THREAD");

    private StatusTable() {}

    /** A headline, and one line for each ticket in the queue. */
    static String of(LockStatus status) {
        return of(status, Integer.MAX_VALUE);
    }

    /**
     * As {@link #of(LockStatus)}.
     *
     * @param width the width that no line exceeds: columns are left out, and longer lines are cut
     */
    static String of(LockStatus status, int width) {
        String name = SafeText.of(status.name());
        String broken = status.lastBreak()
                .map(last -> System.lineSeparator()
                        + Columns.cut(
                                "broken by " + SafeText.of(last.by()) + " at "
                                        + last.when().truncatedTo(ChronoUnit.SECONDS) + ": "
                                        + SafeText.of(last.reason()),
                                width))
                .orElse("");
        if (status.holders().isEmpty() && status.waiters().isEmpty()) {
            return headline(name, ": free, nobody waits", width) + broken;
        }
        boolean ofPermits = Stream.concat(status.holders().stream(), status.waiters().stream())
                .anyMatch(who -> who.permits() > 1);
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("", "PERMITS", "NUMBER", "TOKEN", "CLIENT", "HOST", "PID", "THREAD", "FOR", "SINCE", "WHY"));
        status.holders().forEach(holder -> rows.add(row("holds", ofPermits, holder)));
        status.waiters().forEach(waiter -> rows.add(row("waits", ofPermits, waiter)));
        String state = status.holders().isEmpty() ? "free" : "held";
        return headline(name, ": " + state + ", " + status.waiters().size() + " waiting", width)
                + System.lineSeparator()
                + Columns.fit(rows, width, DISPENSABLE)
                + broken;
    }

    private static String headline(String name, String state, int width) {
        return Columns.cut(name, Math.max(1, width - state.length())) + state;
    }

    /** A process and its thread, as a part of a sentence. */
    static String who(Participant who) {
        return SafeText.of(who.clientName()) + " (" + SafeText.of(who.host()) + ", pid " + who.pid() + ", thread "
                + SafeText.of(who.thread()) + ")";
    }

    private static List<String> row(String does, boolean ofPermits, Participant who) {
        return List.of(
                does,
                ofPermits ? Integer.toString(who.permits()) : "",
                Long.toString(who.number()),
                who.fencingToken().stream().mapToObj(Long::toString).findFirst().orElse(""),
                SafeText.of(who.clientName()),
                SafeText.of(who.host()),
                who.pid() == 0 ? "" : Long.toString(who.pid()),
                SafeText.of(who.thread()),
                brief(who.waited()),
                who.since().truncatedTo(ChronoUnit.SECONDS).toString(),
                SafeText.of(why(who)));
    }

    private static String why(Participant who) {
        StringBuilder why = new StringBuilder(who.reason());
        for (Map.Entry<String, String> label : new TreeMap<>(who.labels()).entrySet()) {
            why.append(why.isEmpty() ? "" : " ")
                    .append(label.getKey())
                    .append('=')
                    .append(label.getValue());
        }
        return why.toString();
    }

    /** A length of time in its two largest units, such as {@code 1h5m} or {@code 3s}. */
    static String brief(Duration time) {
        long seconds = Math.max(0, time.toSeconds());
        if (seconds < 60) {
            return seconds + "s";
        }
        if (seconds < 3600) {
            return seconds / 60 + "m" + seconds % 60 + "s";
        }
        if (seconds < 86_400) {
            return seconds / 3600 + "h" + seconds % 3600 / 60 + "m";
        }
        return seconds / 86_400 + "d" + seconds % 86_400 / 3600 + "h";
    }
}
