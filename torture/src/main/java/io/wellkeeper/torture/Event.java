package io.wellkeeper.torture;

import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Something that happened, as one line of a {@link History}: {@code time kind process op what a b}, separated by blanks.
 * The {@linkplain Kind kinds} say what the fields mean. An unused number is 0, an unused text is {@code -}.
 *
 * @param time in nanoseconds of the machine's monotonic clock, which all processes share ({@link System#nanoTime()})
 * @param kind what happened
 * @param process the process to which it happened: each JVM has a number of its own, the controller and the servers
 *     have 0
 * @param op the number of the acquisition in that process, or of the fault
 * @param what the lock's name, or what the kind says; without blanks
 * @param a as the kind says
 * @param b as the kind says
 */
record Event(long time, Kind kind, int process, long op, String what, long a, long b) {

    /** The kinds of events. */
    enum Kind {
        /** A number that the checker needs: {@code what} names it, {@code a} is its value. */
        SETTING,
        /**
         * A lock: {@code what} is its name, {@code a} the number of its permits, {@code b} the sum of its {@link Lock}
         * flags.
         */
        LOCK,
        /** A part of the run begins: {@code what} is its name. */
        PHASE,
        /** A process was started: {@code what} is its client's name, {@code a} its process id. */
        STARTED,
        /** A process is gone: {@code a} is 1 if it was killed, 0 if it ended by itself. */
        GONE,
        /**
         * The fault {@code op} of the kind {@code what} is about to be made to {@code process}; {@code a} is the sum of
         * its {@link Run} flags. If a flag says that a server has died by itself, {@code what} names the server, and
         * {@code b} is its exit code.
         */
        FAULT,
        /** The fault {@code op} has taken effect. */
        STRUCK,
        /** The fault {@code op} is about to be taken back. */
        HEALING,
        /** The fault {@code op} has been taken back. */
        HEALED,
        /**
         * From this time on no thread of a process ran for {@code a} nanoseconds, not by a fault: the machine was busy.
         */
        STALLED,
        /**
         * An acquisition of {@code a} permits of {@code what} is about to be asked for; {@code b} is its timeout in
         * nanoseconds, or -1.
         */
        REQUEST,
        /** The acquisition was granted; {@code a} is its token, or -1 if the token is not known. */
        GRANTED,
        /** The acquisition has ended because its timeout is over. */
        GAVE_UP,
        /** The thread that waits for the acquisition is about to be interrupted. */
        INTERRUPT,
        /** The acquisition has ended because its thread was interrupted. */
        INTERRUPTED,
        /** The acquisition has failed: {@code what} is the name of the exception. */
        FAILED,
        /**
         * The holder asked, from this time on, whether it holds; the answer {@code a} came after {@code b} nanoseconds.
         */
        HELD,
        /** The holder was told that it has lost the lock. */
        LOST,
        /** The holder is about to release. */
        RELEASE,
        /** The holder has released: {@code a} is 0 if the release said that the lock had been lost before, else 1. */
        RELEASED,
        /** The resource has accepted a write to {@code what} with the token {@code a}. */
        ACCEPTED,
        /** The resource has refused a write to {@code what} with the token {@code a}, by the check of tokens only. */
        REFUSED,
        /**
         * The database, behind a fence, has accepted a write to {@code what} with the token {@code a}; the write had
         * begun {@code b} nanoseconds before.
         */
        FENCED,
        /** The fence has refused a write to {@code what} with the token {@code a}. */
        FENCED_OFF,
        /**
         * If {@code b} is 0, the latch {@code what} begins with the count {@code a}. If it is 1, the store is about to
         * be asked for the count; if it is 2, the store has answered {@code a}.
         */
        COUNT,
        /** All requests of a burst of a process have been answered, {@code a} nanoseconds after the burst began. */
        BURST_OVER,
        /**
         * A process has counted the latch {@code what} down {@code a} times for certain; of {@code b} further
         * count-downs it does not know whether they were done.
         */
        COUNTED,
        /**
         * After all clients have gone, {@code a} tickets are left in the queue of {@code what}. Else {@code what} says
         * what is left: such as {@code threads}, of which a process still has {@code a} after it has closed its client.
         */
        LEFT_BEHIND,
        /**
         * Something happened that must never happen: {@code what} is the name of the exception, or says what it was.
         */
        BUG;

        private static final Map<String, Kind> BY_WORD =
                Stream.of(values()).collect(Collectors.toMap(Kind::word, Function.identity()));

        /** The name of this kind in a history. */
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

    /** This event as a line, without the line end. */
    String line() {
        return time + " " + kind.word() + " " + process + " " + op + " " + what + " " + a + " " + b;
    }

    /**
     * Reads a line.
     *
     * @throws IllegalArgumentException if the line is no event
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

    /** Takes a line apart without making a list of its parts, because there are millions of lines. */
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
