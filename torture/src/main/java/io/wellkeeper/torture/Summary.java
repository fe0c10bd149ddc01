package io.wellkeeper.torture;

import io.wellkeeper.testservers.ServerDeath;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The result of a run in a few lines of text. */
final class Summary {

    private static final double NANOS_OF_A_SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final double NANOS_OF_A_MILLISECOND = TimeUnit.MILLISECONDS.toNanos(1);

    private Summary() {}

    /** The lines, each with a line end. */
    static String of(Run run, Checker.Verdict verdict) {
        StringBuilder text = new StringBuilder();
        int sections =
                run.locks().stream().mapToInt(lock -> lock.sections.size()).sum();
        line(
                text,
                "acquisitions",
                "%,d of %,d locks, by %,d processes, in %s",
                sections,
                run.locks().size(),
                run.processes().size(),
                time(run.end() - run.begin()));
        List<Run.FaultSpan> made =
                run.faults().stream().filter(fault -> !fault.endsRun).toList();
        Map<String, Long> faults = counts(made, fault -> fault.kind);
        line(text, "faults", "%,d%s", made.size(), faults.isEmpty() ? "" : ": " + list(faults));
        run.death()
                .ifPresent(death -> line(
                        text,
                        "ended early",
                        "after %s: %s, %s, which torture had not brought about",
                        time(death.begin - run.begin()),
                        death.kind.replace('-', ' '),
                        ServerDeath.how(death.code)));
        line(
                text,
                "writes",
                "%,d accepted, %,d stopped by their tokens%s",
                run.accepted().size(),
                run.refusals(),
                run.fenced().isEmpty() ? "" : behindFence(run));
        long early = verdict.leads().stream().filter(lead -> lead >= 0).count();
        line(
                text,
                "told in time",
                "%,d of %,d that lost a lock while they ran%s",
                early,
                verdict.leads().size(),
                verdict.leads().isEmpty() ? "" : "; earlier by " + spread(verdict.leads()));
        HandOvers handOvers = HandOvers.of(run);
        line(
                text,
                "handed over",
                "after %,d releases%s",
                handOvers.afterRelease().size(),
                in(handOvers.afterRelease()));
        line(text, "", "after %,d faults%s", handOvers.afterFault().size(), in(handOvers.afterFault()));
        long busy = new Spans(run.stalls(Run.NOBODY)).common(run.begin(), run.end());
        line(
                text,
                "too busy",
                "the machine or the servers, for %s in all, which excuses what is slow then",
                time(busy));
        if (verdict.violations().isEmpty()) {
            line(text, "violations", "none");
            return text.toString();
        }
        line(
                text,
                "violations",
                "%,d: %s",
                verdict.violations().size(),
                list(counts(verdict.violations(), Violation::rule)));
        verdict.violations().stream()
                .collect(Collectors.toMap(Violation::rule, Function.identity(), (first, later) -> first, TreeMap::new))
                .values()
                .forEach(first -> line(
                        text,
                        "",
                        "%s, first at %s in %s: %s",
                        first.rule(),
                        time(first.time() - run.begin()),
                        first.lock(),
                        first.detail()));
        return text.toString();
    }

    private static String behindFence(Run run) {
        return String.format(
                Locale.ROOT,
                "; in the database %,d accepted, %,d stopped",
                run.fenced().size(),
                run.fencedOff());
    }

    private static void line(StringBuilder text, String label, String format, Object... arguments) {
        text.append(String.format(Locale.ROOT, "%-14s", label))
                .append(String.format(Locale.ROOT, format, arguments))
                .append('\n');
    }

    private static <T> Map<String, Long> counts(Collection<T> all, Function<T, String> kind) {
        return all.stream().collect(Collectors.groupingBy(kind, TreeMap::new, Collectors.counting()));
    }

    private static String list(Map<String, Long> counts) {
        return counts.entrySet().stream()
                .map(entry -> String.format(Locale.ROOT, "%,d %s", entry.getValue(), entry.getKey()))
                .collect(Collectors.joining(", "));
    }

    private static String in(List<Long> sorted) {
        return sorted.isEmpty() ? "" : " in " + spread(sorted);
    }

    /** The least, median and 99 % of some times in words; the list is not empty, and sorted smallest first. */
    static String spread(List<Long> sorted) {
        return "at least " + time(sorted.get(0)) + ", in the median " + time(at(sorted, 0.5)) + ", 99 % at most "
                + time(at(sorted, 0.99)) + ", at most " + time(sorted.get(sorted.size() - 1));
    }

    /** The quantile: the given share of the values is not larger than it. */
    static long at(List<Long> sorted, double share) {
        return sorted.get((int) Math.max(0, Math.ceil(share * sorted.size()) - 1));
    }

    /** A length of time in a form that people read. */
    static String time(long nanos) {
        return Math.abs(nanos) < NANOS_OF_A_SECOND
                ? String.format(Locale.ROOT, "%.1f ms", nanos / NANOS_OF_A_MILLISECOND)
                : String.format(Locale.ROOT, "%.2f s", nanos / NANOS_OF_A_SECOND);
    }
}
