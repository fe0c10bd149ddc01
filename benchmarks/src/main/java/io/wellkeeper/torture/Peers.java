package io.wellkeeper.torture;

import io.wellkeeper.benchmarks.Machine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Tortures each {@link Peer} by the same plan, and writes a table of the results. */
public final class Peers {

    private static final Duration SESSION = Duration.ofSeconds(3);
    private static final List<FaultKind> FAULTS =
            List.of(FaultKind.PAUSE, FaultKind.SILENCE, FaultKind.KILL, FaultKind.CUT);
    private static final List<Lock> LOCKS = List.of(Lock.mutex("peers-a", false), Lock.mutex("peers-b", false));
    private static final int FIRST_PEER = 4;
    private static final int WORKERS = 3;
    private static final int THREADS = 2;

    private static final String REGISTRY_TABLE = """
            CREATE TABLE INT_LOCK (LOCK_KEY CHAR(36) NOT NULL, REGION VARCHAR(100) NOT NULL, CLIENT_ID CHAR(36),
            CREATED_DATE TIMESTAMP NOT NULL, EXPIRED_AFTER TIMESTAMP NOT NULL, PRIMARY KEY (LOCK_KEY, REGION))""";

    private Peers() {}

    /**
     * Arguments: the seed, the number of faults, a directory for the histories, the tortured revision, and the peers;
     * all peers if none is named.
     */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        long seed = Long.parseLong(arguments[0]);
        int faults = Integer.parseInt(arguments[1]);
        Path directory = Path.of(arguments[2]);
        Map<String, String> machine = Machine.describe(directory);
        StringBuilder table = new StringBuilder();
        Set<String> chosen = Stream.of(arguments).skip(FIRST_PEER).collect(Collectors.toSet());
        for (Peer peer : Peer.values()) {
            if (!chosen.isEmpty() && !chosen.contains(peer.name())) {
                continue;
            }
            Path own = Files.createDirectory(directory.resolve(peer.name()));
            Plan plan = Plan.of(seed, SESSION, FAULTS, faults).with(WORKERS, THREADS, LOCKS, peer.driver());
            try (Servers servers = peer.store.start(SESSION)) {
                prepare(peer, servers);
                Torture.run(plan, own, servers);
            } catch (IllegalStateException stuck) { // its history shows which process is stuck
                System.err.println(peer + ": " + stuck.getMessage());
            }
            Run run = Run.read(own);
            Checker.Verdict verdict = Checker.check(run);
            Page.write(own.resolve("report.html"), peer.title, run, verdict);
            System.err.println(peer + "\n" + Summary.of(run, verdict));
            table.append(row(peer, run, verdict));
        }
        System.out.print(head(seed, faults, arguments[3], machine) + table);
    }

    private static void prepare(Peer peer, Servers servers) {
        if (peer != Peer.LOCK_REGISTRY) {
            return;
        }
        try (Connection connection = DriverManager.getConnection(servers.uri());
                Statement statement = connection.createStatement()) {
            statement.execute(REGISTRY_TABLE);
        } catch (SQLException failed) {
            throw new UncheckedIOException(new IOException(failed));
        }
    }

    private static String head(long seed, int faults, String revision, Map<String, String> machine) {
        return "Measured by `benchmarks/torture " + seed + " " + faults + "` on " + LocalDate.now() + " at revision "
                + revision + ": seed " + seed + ", " + faults + " faults each (" + words() + "), sessions of "
                + SESSION.toSeconds() + " s, " + WORKERS + " processes of " + THREADS + " threads on " + LOCKS.size()
                + " locks.\n\n"
                + machine.entrySet().stream()
                        .map(entry -> "* " + entry.getKey() + ": " + entry.getValue() + "\n")
                        .collect(Collectors.joining())
                + "\n| store | lock | asked before each write | acquisitions | writes after the loss: let in / stopped by the"
                + " token | overlaps | told before the next one: how many, how much earlier at least | handed over after a"
                + " release: median, 99 % | after a fault: median, at most | other violations |\n"
                + "|---|---|---|---|---|---|---|---|---|---|\n";
    }

    private static String words() {
        return FAULTS.stream().map(FaultKind::word).collect(Collectors.joining(", "));
    }

    private static String row(Peer peer, Run run, Checker.Verdict verdict) {
        Map<String, Long> broken = verdict.violations().stream()
                .collect(Collectors.groupingBy(Violation::rule, TreeMap::new, Collectors.counting()));
        long overlaps = take(broken, "overlap");
        long stale = take(broken, "stale-write");
        HandOvers handOvers = HandOvers.of(run);
        List<String> cells = new ArrayList<>();
        cells.add(peer.store.word());
        cells.add(peer.title + " " + peer.version());
        cells.add(peer.check);
        cells.add(Integer.toString(
                run.locks().stream().mapToInt(lock -> lock.sections.size()).sum()));
        cells.add(peer.fenced ? stale + " / " + run.refusals() : stale + run.refusals() + " / no token");
        cells.add(Long.toString(overlaps));
        cells.add(told(verdict.leads()));
        cells.add(spread(handOvers.afterRelease(), 0.99));
        cells.add(spread(handOvers.afterFault(), 1));
        cells.add(
                broken.isEmpty()
                        ? "none"
                        : broken.entrySet().stream()
                                .map(entry -> entry.getValue() + " " + entry.getKey())
                                .collect(Collectors.joining(", ")));
        return "| " + String.join(" | ", cells) + " |\n";
    }

    private static long take(Map<String, Long> broken, String rule) {
        Long count = broken.remove(rule);
        return count == null ? 0 : count;
    }

    private static String told(List<Long> leads) {
        long early = leads.stream().filter(lead -> lead >= 0).count();
        return leads.isEmpty()
                ? "never"
                : String.format(Locale.ROOT, "%d of %d, %s", early, leads.size(), Summary.time(leads.get(0)));
    }

    private static String spread(List<Long> sorted, double share) {
        return sorted.isEmpty()
                ? "-"
                : Summary.time(Summary.at(sorted, 0.5)) + ", " + Summary.time(Summary.at(sorted, share)) + " (of "
                        + sorted.size() + ")";
    }
}
