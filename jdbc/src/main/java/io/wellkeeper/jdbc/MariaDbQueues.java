package io.wellkeeper.jdbc;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Reads the queue and the watches in the row of a lock: words with a blank before, between and behind them. */
final class MariaDbQueues {

    private MariaDbQueues() {}

    static List<String> words(String queue) {
        return Arrays.stream(queue.split(" ")).filter(word -> !word.isEmpty()).toList();
    }

    /** The text of these words as it stands in a row. */
    static String text(List<String> words) {
        return words.isEmpty() ? " " : " " + String.join(" ", words) + " ";
    }

    static long number(String word) {
        return Long.parseLong(word.substring(0, word.indexOf(':')));
    }

    static String session(String word) {
        return word.split(":", -1)[1];
    }

    /** The id of a ticket of the queue, as it stands in messages. */
    static String id(String word) {
        return word.substring(0, word.lastIndexOf(':', word.lastIndexOf(':') - 1));
    }

    static List<Object[]> rows(List<String> words, Object more) {
        List<Object[]> rows = new ArrayList<>(words.size());
        words.forEach(word -> rows.add(TicketIds.row(word, more)));
        return rows;
    }

    /** The session of the first ticket behind a number, unless that session is the owner, which had the number. */
    static Optional<String> next(List<String> words, long number, Object owner) {
        return words.stream()
                .filter(word -> number(word) > number)
                .findFirst()
                .map(MariaDbQueues::session)
                .filter(session -> !Objects.equals(session, owner));
    }

    /** The words of the watches on a ticket. */
    static List<String> watching(String watches, Object number, Object generation) {
        return words(watches).stream()
                .filter(word -> word.startsWith(number + ":" + generation + ":"))
                .toList();
    }

    /** The words of the watches on the ticket that a word stands for. */
    static List<String> watching(String watches, String word) {
        return watching(watches, number(word), word.split(":", -1)[3]);
    }

    static String watcher(String watch) {
        return watch.substring(watch.lastIndexOf(':') + 1);
    }
}
