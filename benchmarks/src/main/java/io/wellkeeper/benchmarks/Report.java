package io.wellkeeper.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Writes the page of one store. */
final class Report {

    private final StringBuilder text = new StringBuilder();

    private final Store store;

    private Report(Store store) {
        this.store = store;
    }

    /**
     * Makes the whole page.
     *
     * @param store where the locks were kept
     * @param facts about the machine and the run, by heading
     * @param results in the order of the page
     * @param pace of the run
     */
    static String of(Store store, Map<String, String> facts, List<Measured> results, Pace pace) {
        Report report = new Report(store);
        report.line("# Results: locks kept in " + store.title());
        report.line("");
        report.line("Written by `benchmarks/run " + store.id() + "`; the same figures for programs are in `results"
                + store.suffix() + ".json`.");
        report.facts(facts);
        report.targets(results);
        results.stream().filter(each -> each.work().recipe() == Recipe.MUTEX).forEach(report::table);
        report.family(results.stream()
                .filter(each -> each.work().recipe() != Recipe.MUTEX)
                .toList());
        report.heading("How it was measured");
        report.line(Method.of(store, pace));
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
        for (Target target : Target.of(store)) {
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
        head.addAll(headings(measures));
        peers.forEach(peer -> head.add(main.title() + " beside " + peer.title()));
        row(head);
        rule(head.size());
        for (Contestant contestant : contestants) {
            List<String> cells = new ArrayList<>(List.of(contestant.title()));
            cells.addAll(figures(measured, measures, contestant));
            peers.forEach(peer -> cells.add(
                    contestant.isOurs()
                            ? ratio(measured, main, contestant, peer).orElse("")
                            : ""));
            row(cells);
        }
    }

    /** All works but those of the mutex in one table: each of them has one peer. */
    private void family(List<Measured> results) {
        if (results.isEmpty()) {
            return;
        }
        List<Measure> measures = results.get(0).measures();
        Measure main = measures.get(0);
        heading("The lock family");
        List<String> head = new ArrayList<>(List.of("servers", "work", "lock"));
        head.addAll(headings(measures));
        head.add(main.title() + " beside " + store.peer());
        row(head);
        rule(head.size());
        for (Measured measured : results) {
            for (Contestant contestant : measured.contestants()) {
                List<String> cells = new ArrayList<>(
                        List.of(measured.topology().title(), measured.work().title(), contestant.title()));
                cells.addAll(figures(measured, measures, contestant));
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

    private static List<String> headings(List<Measure> measures) {
        return measures.stream()
                .map(measure -> measure.title() + ", " + measure.unit())
                .toList();
    }

    private static List<String> figures(Measured measured, List<Measure> measures, Contestant contestant) {
        return measures.stream()
                .map(measure ->
                        measured.figure(contestant, measure).map(Report::number).orElse(""))
                .toList();
    }

    private static Optional<String> ratio(Measured measured, Measure measure, Contestant ours, Contestant peer) {
        return measured.ratio(measure, ours, peer).map(ratio -> number(ratio) + " x");
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

    /** A number with three significant digits, and its thousands separated. */
    static String number(double value) {
        double size = Math.abs(value);
        String format = size >= 100 ? "%,.0f" : size >= 10 ? "%.1f" : size >= 1 || size == 0 ? "%.2f" : "%.3f";
        return String.format(Locale.ROOT, format, value);
    }
}
