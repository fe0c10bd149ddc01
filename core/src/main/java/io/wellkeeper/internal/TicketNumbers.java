package io.wellkeeper.internal;

import java.util.List;

/**
 * Numbers of tickets as a notice names them: ascending ranges such as {@code 3..7 9}. A number is shorter than an id. A
 * ticket that replaces another has the same number. As long as a notice stands, no number is drawn twice.
 */
final class TicketNumbers {

    private static final String TO = "..";

    private TicketNumbers() {}

    /**
     * All from the first to the last of these ascending numbers. Tickets between them that are not listed have
     * departed.
     */
    static String range(List<Long> numbers) {
        return numbers.isEmpty() ? "" : range(numbers.get(0), numbers.get(numbers.size() - 1));
    }

    private static String range(long first, long last) {
        return first == last ? Long.toString(first) : first + TO + last;
    }

    /** These ascending numbers and no others. */
    static String exactly(List<Long> numbers) {
        StringBuilder text = new StringBuilder();
        int begin = 0;
        for (int i = 0; i < numbers.size(); i++) {
            if (i + 1 == numbers.size() || numbers.get(i + 1) != numbers.get(i) + 1) {
                text.append(text.length() == 0 ? "" : " ").append(range(numbers.subList(begin, i + 1)));
                begin = i + 1;
            }
        }
        return text.toString();
    }

    /** Whether the text names this number. A text that cannot be parsed names none. */
    static boolean contains(String text, long number) {
        return anyRange(text, (first, last) -> number >= first && number <= last);
    }

    /** Whether the text names a larger number than this one. */
    static boolean exceed(String text, long number) {
        return anyRange(text, (first, last) -> last > number);
    }

    private interface Range {
        boolean test(long first, long last);
    }

    private static boolean anyRange(String text, Range wanted) {
        for (String range : text.split(" ")) {
            int to = range.indexOf(TO);
            String first = to < 0 ? range : range.substring(0, to);
            String last = to < 0 ? range : range.substring(to + TO.length());
            try {
                if (wanted.test(Long.parseLong(first), Long.parseLong(last))) {
                    return true;
                }
            } catch (NumberFormatException foreign) {
                continue;
            }
        }
        return false;
    }
}
