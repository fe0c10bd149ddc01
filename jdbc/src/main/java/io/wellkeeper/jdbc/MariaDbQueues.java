package io.wellkeeper.jdbc;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Reads what the row of a lock has: words with a blank before, between and behind them. */
final class MariaDbQueues {

    private MariaDbQueues() {}

    static List<String> words(String queue) {
        return Arrays.stream(queue.split(" ")).filter(word -> !word.isEmpty()).toList();
    }

    /** How words stand in a row. */
    static String text(List<String> words) {
        return words.isEmpty() ? " " : " " + String.join(" ", words) + " ";
    }

    static long number(String word) {
        return Long.parseLong(word.substring(0, word.indexOf(':')));
    }

    static String session(String word) {
        return word.split(":", -1)[1];
    }

    /** What a ticket of the queue is called, in messages. */
    static String id(String word) {
        return word.substring(0, word.lastIndexOf(':', word.lastIndexOf(':') - 1));
    }

    static List<Object[]> rows(List<String> words, Object more) {
        List<Object[]> rows = new ArrayList<>(words.size());
        words.forEach(word -> rows.add(TicketIds.row(word, more)));
        return rows;
    }

    /** The session of the first ticket behind a number, if it is another than the one that had that. */
    static Optional<String> next(List<String> words, long number, Object owner) {
        return words.stream()
                .filter(word -> number(word) > number)
                .findFirst()
                .map(MariaDbQueues::session)
                .filter(session -> !Objects.equals(session, owner));
    }

    /** The words of those who watch a ticket. */
    static List<String> watching(String watches, Object number, Object generation) {
        return words(watches).stream()
                .filter(word -> word.startsWith(number + ":" + generation + ":"))
                .toList();
    }

    /** The words of those who watch the ticket of a word. */
    static List<String> watching(String watches, String word) {
        return watching(watches, number(word), word.split(":", -1)[3]);
    }

    static String watcher(String watch) {
        return watch.substring(watch.lastIndexOf(':') + 1);
    }
}
