package io.wellkeeper.benchmarks;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.openjdk.jmh.runner.RunnerException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs everything, and writes the results. */
@Command(name = "benchmarks/run", description = "Compares Wellkeeper with its peers on real servers.")
@SuppressWarnings("NullAway.Init") // picocli sets the fields
public final class Main implements Callable<Integer> {

    private static final Work WARM_UP = Work.PROCESSES_4; // by all processes

    @Parameters(defaultValue = "ZOOKEEPER", description = "Where the locks are kept: ${COMPLETION-CANDIDATES}.")
    private Store store;

    @Option(names = "--quick", description = "A look in about two minutes, too short for figures to quote.")
    private boolean quick;

    @Option(names = "--out", required = true, description = "The directory for the results.")
    private Path out;

    @Option(names = "--work", required = true, description = "An empty directory for temporary data.")
    private Path work;

    @Option(names = "--revision", defaultValue = "unknown", description = "What is measured, for the report.")
    private String revision;

    @Option(names = "--only", split = ",", description = "Only these works: ${COMPLETION-CANDIDATES}.")
    private List<Work> only = List.of(Work.values());

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Prints this.")
    private boolean help;

    private Main() {}

    /** Exits with 0 if all was measured and no lock was found broken. */
    public static void main(String[] arguments) {
        Runtime.getRuntime()
                .addShutdownHook(new Thread(
                        () -> ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly),
                        "end-children"));
        System.exit(new CommandLine(new Main())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .execute(arguments));
    }

    @Override
    public Integer call() throws Exception {
        Pace pace = quick ? Pace.QUICK : Pace.FULL;
        Instant start = Instant.now().truncatedTo(ChronoUnit.MINUTES);
        Map<String, String> machine = Machine.describe(work);
        Map<String, String> versions = new TreeMap<>(store.versions());
        List<Measured> results = new ArrayList<>();
        Path scoreboard = work.resolve("scoreboard");
        int processes = WARM_UP.roles().size();
        try (Fleet ours = new Fleet("ours", processes, scoreboard);
                Fleet peers = new Fleet("peers", processes, scoreboard)) {
            for (Topology topology : store.topologies()) {
                List<Work> works =
                        only.stream().filter(each -> each.isOn(store, topology)).toList();
                if (works.isEmpty()) {
                    continue;
                }
                say("starting " + topology.title());
                try (Servers servers = store.start(topology)) {
                    versions.put(store.title(), servers.version());
                    Campaign campaign =
                            new Campaign(store, topology, servers, ours, peers, Scoreboard.in(scoreboard), pace);
                    say("warming up");
                    // later ones are only for the servers
                    campaign.warmUp(WARM_UP, results.isEmpty() ? pace.warmUpMillis() : 0);
                    compare(works, topology, campaign, results);
                    runJmh(works, servers, pace, results);
                }
            }
        }
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("Run", start + (quick ? ", quick: not to be quoted" : ""));
        facts.put("Wellkeeper", revision);
        facts.putAll(versions);
        facts.putAll(machine);
        Files.createDirectories(out);
        Path page = out.resolve("RESULTS" + store.suffix() + ".md");
        Path data = out.resolve("results" + store.suffix() + ".json");
        Files.writeString(page, Report.of(store, facts, results, pace));
        new ObjectMapper()
                .enable(SerializationFeature.INDENT_OUTPUT)
                .writeValue(
                        data.toFile(),
                        results.stream()
                                .flatMap(each -> Comparison.of(store, each).stream())
                                .toList());
        say("written: " + page + ", " + data);
        return 0;
    }

    private static void compare(List<Work> works, Topology topology, Campaign campaign, List<Measured> results)
            throws IOException, InterruptedException {
        for (Work each : works) {
            if (!each.isForJmh()) {
                say(topology.title() + ": " + each.title());
                show(campaign.run(each), results);
            }
        }
    }

    private void runJmh(List<Work> works, Servers servers, Pace pace, List<Measured> results) throws RunnerException {
        JmhRuns runs = new JmhRuns(store, servers.uri(0), work, pace);
        for (Work each : works) {
            if (each.isForJmh()) {
                say(each.title());
                show(runs.run(each), results);
            }
        }
    }

    private static void show(Measured measured, List<Measured> results) {
        results.add(measured);
        measured.contestants().forEach(contestant -> {
            StringBuilder line =
                    new StringBuilder("  ").append(contestant.title()).append(':');
            measured.measures()
                    .forEach(measure -> measured.figure(contestant, measure)
                            .ifPresent(figure -> line.append("  ")
                                    .append(Report.number(figure))
                                    .append(' ')
                                    .append(measure.unit())));
            say(line.toString());
        });
    }

    @SuppressWarnings("SystemOut")
    private static void say(String line) {
        System.out.println(line);
    }
}
