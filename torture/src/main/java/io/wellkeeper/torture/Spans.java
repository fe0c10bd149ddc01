package io.wellkeeper.torture;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/** A set of times, as spans that do not touch each other. Immutable. */
final class Spans {

    /** From one time to another, both included. */
    record Span(long from, long to) {

        /** The same span with a later end. */
        Span and(long nanos) {
            return new Span(from, to + nanos);
        }
    }

    private final List<Span> spans;

    /** The union of some spans. */
    Spans(Collection<Span> parts) {
        List<Span> sorted = new ArrayList<>(parts);
        sorted.sort(Comparator.comparingLong(Span::from));
        List<Span> merged = new ArrayList<>();
        for (Span span : sorted) {
            Span last = merged.isEmpty() ? null : merged.get(merged.size() - 1);
            if (last != null && span.from() <= last.to()) {
                merged.set(merged.size() - 1, new Span(last.from(), Math.max(last.to(), span.to())));
            } else {
                merged.add(span);
            }
        }
        spans = List.copyOf(merged);
    }

    /** The spans in the order of their times. */
    List<Span> list() {
        return spans;
    }

    /** Whether any time from one to another is in the set. */
    boolean touch(long from, long to) {
        int first = first(from);
        return first < spans.size() && spans.get(first).from() <= to;
    }

    /** How much of the time from one to another is in the set. */
    long common(long from, long to) {
        long sum = 0;
        for (int i = first(from); i < spans.size() && spans.get(i).from() < to; i++) {
            Span span = spans.get(i);
            sum += Math.max(0, Math.min(to, span.to()) - Math.max(from, span.from()));
        }
        return sum;
    }

    /** The index of the first span that does not end before a time. */
    private int first(long from) {
        int low = 0;
        int high = spans.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (spans.get(middle).to() < from) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** The parts of a span that are not in the set. */
    List<Span> gaps(Span whole) {
        List<Span> gaps = new ArrayList<>();
        long from = whole.from();
        for (Span span : spans) {
            if (span.to() < from) {
                continue;
            }
            if (span.from() > whole.to()) {
                break;
            }
            if (span.from() > from) {
                gaps.add(new Span(from, span.from()));
            }
            from = span.to();
        }
        if (from < whole.to()) {
            gaps.add(new Span(from, whole.to()));
        }
        return gaps;
    }
}
