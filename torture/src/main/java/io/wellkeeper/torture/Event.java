package io.wellkeeper.torture;

import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Something that happened, as one line of a {@link History}: {@code time kind process op what a b}, separated by blanks.
 * What a field means for a kind is said there; a number that means nothing is 0, a text that means nothing is {@code -}.
 *
 * @param time in nanoseconds of the machine's monotonic clock, which all processes share ({@link System#nanoTime()})
 * @param kind what happened
 * @param process to which process it happened: each JVM has a number of its own, the controller and the servers are 0
 * @param op to which acquisition of that process, or which fault it was
 * @param what the lock's name, or whatever the kind says; without blanks
 * @param a as the kind says
 * @param b as the kind says
 */
record Event(long time, Kind kind, int process, long op, String what, long a, long b) {

    /** What can happen. */
    enum Kind {
        /** A number that the checker needs: {@code what} names it, {@code a} is its value. */
        SETTING,
        /** A lock: {@code what} is its name, {@code a} its permits in all, {@code b} the sum of the {@link Lock} flags. */
        LOCK,
        /** A part of the run begins: {@code what} is its name. */
        PHASE,
        /** A process was started: {@code what} is its client's name, {@code a} its process id. */
        STARTED,
        /** A process is gone: {@code a} is 1 if it was killed, 0 if it ended by itself. */
        GONE,
        /**
         * A fault {@code op} of the kind {@code what} is about to befall {@code process}: {@code a} is the sum of {@link Run}'s flags.
         * If one of these says that a server has died by itself, {@code what} names it, and {@code b} is its exit code.
         */
        FAULT,
        /** That fault has taken effect. */
        STRUCK,
        /** That fault is about to be taken back. */
        HEALING,
        /** That fault has been taken back. */
        HEALED,
        /** No thread of a process ran for {@code a} nanoseconds from this time on, without a fault: the machine is busy. */
        STALLED,
        /** An acquisition of {@code a} permits of {@code what} is about to be asked for, within {@code b} nanoseconds, or -1. */
        REQUEST,
        /** It was granted, with the token {@code a}, or -1 if it is not known. */
        GRANTED,
        /** Its time is over. */
        GAVE_UP,
        /** The thread that waits for it is about to be interrupted. */
        INTERRUPT,
        /** It was interrupted. */
        INTERRUPTED,
        /** It has failed: {@code what} is the name of the exception. */
        FAILED,
        /** The holder is about to ask whether it holds; the answer was {@code a}, after {@code b} nanoseconds. */
        HELD,
        /** The holder was told that it has lost the lock. */
        LOST,
        /** The holder is about to release. */
        RELEASE,
        /** It has released: {@code a} is 0 if it was told that it had lost the lock before, else 1. */
        RELEASED,
        /** The resource has accepted a write to {@code what} with the token {@code a}. */
        ACCEPTED,
        /** The resource has refused a write to {@code what} with the token {@code a}; without the check it would have come in. */
        REFUSED,
        /**
         * The database has accepted, behind a fence, a write to {@code what} with the token {@code a}, for which it had been asked
         * {@code b} nanoseconds before.
         */
        FENCED,
        /** The fence has refused such a write. */
        FENCED_OFF,
        /**
         * The latch {@code what} begins with the count {@code a}, if {@code b} is 0; if it is 1, the store is asked for the count, and
         * if it is 2, it has answered.
         */
        COUNT,
        /** All that a process had asked for in a burst has been answered, {@code a} nanoseconds after it began. */
        BURST_OVER,
        /** A process has counted the latch {@code what} down {@code a} times, and {@code b} times it does not know whether it has. */
        COUNTED,
        /** After everybody has gone there are {@code a} tickets in the queue of {@code what}. */
        LEFT_BEHIND,
        /** Something happened that never may: {@code what} is the name of the exception. */
        BUG;

        private static final Map<String, Kind> BY_WORD =
                Stream.of(values()).collect(Collectors.toMap(Kind::word, Function.identity()));

        /** How it is written. */
        String word() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        static Kind of(String word) {
            Kind kind = BY_WORD.get(word);
            if (kind == null) {
                throw new IllegalArgumentException("unknown kind of event: " + word);
            }
            return kind;
        }
    }

    /** As a line, without its end. */
    String line() {
        return time + " " + kind.word() + " " + process + " " + op + " " + what + " " + a + " " + b;
    }

    /**
     * Reads a line.
     *
     * @throws IllegalArgumentException if it is none
     */
    static Event parse(String line) {
        Fields fields = new Fields(line);
        return new Event(
                fields.number(),
                Kind.of(fields.text()),
                Math.toIntExact(fields.number()),
                fields.number(),
                fields.text(),
                fields.number(),
                fields.last());
    }

    /** Takes a line apart without making a list of its parts: there are millions. */
    private static final class Fields {

        private final String line;
        private int at;

        Fields(String line) {
            this.line = line;
        }

        String text() {
            int end = line.indexOf(' ', at);
            if (end <= at) {
                throw new IllegalArgumentException("not a line of a history: " + line);
            }
            String text = line.substring(at, end);
            at = end + 1;
            return text;
        }

        long number() {
            int end = line.indexOf(' ', at);
            long number = number(end);
            at = end + 1;
            return number;
        }

        long last() {
            return number(line.length());
        }

        private long number(int end) {
            try {
                return Long.parseLong(line, at, end, 10);
            } catch (NumberFormatException | IndexOutOfBoundsException wrong) {
                throw new IllegalArgumentException("not a line of a history: " + line, wrong);
            }
        }
    }
}
