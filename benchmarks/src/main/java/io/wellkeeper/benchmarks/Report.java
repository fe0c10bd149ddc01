package io.wellkeeper.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Writes {@code RESULTS.md}. */
final class Report {

    private final StringBuilder text = new StringBuilder();

    private Report() {}

    /**
     * The whole page.
     *
     * @param facts about the machine and the run, by heading
     * @param results in the order of the page
     * @param pace of the run
     */
    static String of(Map<String, String> facts, List<Measured> results, Pace pace) {
        Report report = new Report();
        report.line("# Results");
        report.line("");
        report.line("Written by `benchmarks/run`; the same figures for programs are in `results.json`.");
        report.facts(facts);
        report.targets(results);
        results.stream().filter(each -> each.work().recipe() == Recipe.MUTEX).forEach(report::table);
        report.family(results.stream()
                .filter(each -> each.work().recipe() != Recipe.MUTEX)
                .toList());
        report.method(pace);
        return report.text.toString();
    }

    private void facts(Map<String, String> facts) {
        line("");
        facts.forEach((heading, value) -> line("- " + heading + ": " + value));
    }

    private void targets(List<Measured> results) {
        heading("Targets");
        row(List.of("", "servers", "work", "lock", "measure", "target", "measured"));
        rule(7);
        for (Target target : Target.ALL) {
            for (Measured measured : results) {
                target.figure(measured)
                        .ifPresent(figure -> row(List.of(
                                target.reached().test(figure) ? "met" : "**missed**",
                                measured.topology().title(),
                                target.work().title(),
                                target.ours().title(),
                                target.measure().title(),
                                target.goal(),
                                number(figure) + (target.peer().isPresent() ? " x" : ""))));
            }
        }
    }

    private void table(Measured measured) {
        List<Contestant> contestants = measured.contestants();
        List<Contestant> peers =
                contestants.stream().filter(each -> !each.isOurs()).toList();
        List<Measure> measures = measured.measures();
        Measure main = measures.get(0);
        heading(measured.topology().title() + ": " + measured.work().title());
        List<String> head = new ArrayList<>(List.of("lock"));
        measures.forEach(measure -> head.add(measure.title() + ", " + measure.unit()));
        peers.forEach(peer -> head.add(main.title() + " beside " + peer.title()));
        row(head);
        rule(head.size());
        for (Contestant contestant : contestants) {
            List<String> cells = new ArrayList<>(List.of(contestant.title()));
            measures.forEach(measure -> cells.add(
                    measured.figure(contestant, measure).map(Report::number).orElse("")));
            peers.forEach(peer -> cells.add(
                    contestant.isOurs()
                            ? ratio(measured, main, contestant, peer).orElse("")
                            : ""));
            row(cells);
        }
    }

    /** All but the mutex in one table: each work of it has one peer. */
    private void family(List<Measured> results) {
        if (results.isEmpty()) {
            return;
        }
        List<Measure> measures = results.get(0).measures();
        Measure main = measures.get(0);
        heading("The lock family");
        List<String> head = new ArrayList<>(List.of("servers", "work", "lock"));
        measures.forEach(measure -> head.add(measure.title() + ", " + measure.unit()));
        head.add(main.title() + " beside Curator");
        row(head);
        rule(head.size());
        for (Measured measured : results) {
            for (Contestant contestant : measured.contestants()) {
                List<String> cells = new ArrayList<>(
                        List.of(measured.topology().title(), measured.work().title(), contestant.title()));
                measures.forEach(measure -> cells.add(
                        measured.figure(contestant, measure).map(Report::number).orElse("")));
                cells.add(measured.contestants().stream()
                        .filter(peer -> contestant.isOurs() && !peer.isOurs())
                        .flatMap(peer -> ratio(measured, main, contestant, peer).stream())
                        .findFirst()
                        .orElse(""));
                row(cells);
            }
        }
        line("");
        line("What each does:");
        line("");
        results.stream()
                .flatMap(measured -> measured.contestants().stream()
                        .map(contestant -> description(measured.work().recipe(), contestant)))
                .distinct()
                .forEach(this::line);
    }

    private static String description(Recipe recipe, Contestant contestant) {
        String who = contestant.isOurs() ? "Wellkeeper" : contestant.title();
        return "- " + who + ", " + recipe.title() + ": " + recipe.does(contestant.isOurs()) + ".";
    }

    private static Optional<String> ratio(Measured measured, Measure measure, Contestant ours, Contestant peer) {
        return measured.figure(ours, measure)
                .flatMap(mine -> measured.figure(peer, measure)
                        .flatMap(theirs -> Optional.ofNullable(measure.ratio(mine, theirs))))
                .map(ratio -> number(ratio) + " x");
    }

    private void method(Pace pace) {
        heading("How it was measured");
        line(String.format(
                        Locale.ROOT,
                        """
                - Servers run in JVMs of their own, keep their data on the disk and force every write to it. All processes
                  of a run share one machine, so nothing here says what a network costs.
                - Worker processes live through the whole run of a topology, and both sides use the same ones. The
                  contestants of a work take turns: first each in a slot of %d ms that is discarded, then in %d rounds
                  in the order of the tables. A figure is the median of the rounds; a ratio is that of two medians, above 1
                  if ours is better.
                - In each slot every thread is at work for %d ms before the window of %d ms begins, at the same instant
                  for all threads of all processes. A cycle counts if it ends within the window. There is no pause between cycles,
                  and nothing is done while the lock is held, but the checks below.
                - A cycle is acquire and release as the caller sees them. Ours does not wait for the server's answer to
                  the release unless the row says "release awaited"; Curator's does.
                - Requests are what the servers say they have received (`zk_packets_received`), over all cycles of a slot.
                - With three servers, a process is connected to one of them, in turn from round to round, and both sides to the
                  same.
                - Curator has one `CuratorFramework` for each process, and one lock object for each thread unless the row says
                  otherwise.
                - The share of a process is what it got of all cycles, divided by an equal part.
                - Whoever holds a lock takes its share of a word of memory shared by all processes, and the run fails if those
                  who are in have not left so much: a permit is a part, a reader next to nothing, everybody else takes all.
                  Our fencing tokens must grow, those of readers only beyond the writers': every thread shows one in 100 ms,
                  or one in each cycle if the row says "token read". The check costs both sides the same few nanoseconds.
                - Where several may be in at once, each contestant first runs a slot in which whoever is in stays there for
                  some time, so that one too many would be met; that slot is discarded, too.
                - In the lock family, the members of a multi-lock are checked to be held in every cycle, and every thread does
                  its reads and writes in turn, each beginning at another place.
                - A thread begins its next cycle when the last has ended, so a slow cycle also delays the next: p99 says less
                  than it would with arrivals from outside.
                - Where threads, processes and servers together want more cores than there are, a figure says more about CPU time
                  than about waiting.
                - A newcomer is a process that uses the lock in default order and comes 5 ms after its last visit; only its
                  wait counts, and the row says how the process uses the lock that was there before.
                - The figures of JMH are medians of %d processes x %d iterations of %d ms.
                - Ratios of one run are what counts; figures of two machines, or of one under other load, do not compare.
                """,
                        pace.coldMillis(),
                        pace.rounds(),
                        pace.warmMillis(),
                        pace.windowMillis(),
                        pace.jmhForks(),
                        pace.jmhIterations(),
                        pace.jmhMillis())
                .stripTrailing());
    }

    private void heading(String title) {
        line("");
        line("## " + title.substring(0, 1).toUpperCase(Locale.ROOT) + title.substring(1));
        line("");
    }

    private void row(List<String> cells) {
        line("| " + String.join(" | ", cells) + " |");
    }

    private void rule(int columns) {
        line("|" + "---|".repeat(columns));
    }

    private void line(String line) {
        text.append(line).append('\n');
    }

    /** Three digits that mean something; thousands apart. */
    static String number(double value) {
        double size = Math.abs(value);
        String format = size >= 100 ? "%,.0f" : size >= 10 ? "%.1f" : size >= 1 || size == 0 ? "%.2f" : "%.3f";
        return String.format(Locale.ROOT, format, value);
    }
}
