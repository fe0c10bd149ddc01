package io.wellkeeper.cli;

import io.wellkeeper.LockStatus;
import io.wellkeeper.Participant;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A lock's queue as text for people. */
final class StatusTable {

    private StatusTable() {}

    /** A headline, and one line for everybody in the queue. */
    static String of(LockStatus status) {
        String name = SafeText.of(status.name());
        String broken = status.lastBreak()
                .map(last -> System.lineSeparator() + "broken by " + SafeText.of(last.by()) + " at "
                        + last.when().truncatedTo(ChronoUnit.SECONDS) + ": " + SafeText.of(last.reason()))
                .orElse("");
        if (status.holders().isEmpty() && status.waiters().isEmpty()) {
            return name + ": free, nobody waits" + broken;
        }
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("", "NUMBER", "CLIENT", "HOST", "PID", "THREAD", "FOR", "SINCE", "WHY"));
        status.holders().forEach(holder -> rows.add(row("holds", holder)));
        status.waiters().forEach(waiter -> rows.add(row("waits", waiter)));
        String headline = name + ": " + (status.holders().isEmpty() ? "free" : "held") + ", "
                + status.waiters().size() + " waiting";
        return headline + System.lineSeparator() + Columns.align(rows) + broken;
    }

    /** A process and its thread, in the middle of a sentence. */
    static String who(Participant who) {
        return SafeText.of(who.client()) + " (" + SafeText.of(who.host()) + ", pid " + who.pid() + ", thread "
                + SafeText.of(who.thread()) + ")";
    }

    private static List<String> row(String does, Participant who) {
        return List.of(
                does,
                Long.toString(who.number()),
                SafeText.of(who.client()),
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
