package io.wellkeeper.benchmarks;

import java.nio.file.Path;
import java.util.Collection;
import java.util.EnumMap;
import java.util.Map;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Runs the works that JMH measures. */
final class JmhRuns {

    private static final double PERCENT_50 = 50;

    private final Store store;
    private final String uri;
    private final Path directory;
    private final Pace pace;

    /**
     * Runs against a server.
     *
     * @param directory for temporary files
     */
    JmhRuns(Store store, String uri, Path directory, Pace pace) {
        this.store = store;
        this.uri = uri;
        this.directory = directory;
        this.pace = pace;
    }

    Measured run(Work work) throws RunnerException {
        Collection<RunResult> results = new Runner(options(work)).run();
        Map<Contestant, Map<Measure, Double>> figures = new EnumMap<>(Contestant.class);
        for (RunResult result : results) {
            double cyclesPerSecond = result.getPrimaryResult().getStatistics().getPercentile(PERCENT_50);
            figures.put(
                    Contestant.valueOf(result.getParams().getParam("contestant")),
                    Map.of(Measure.THROUGHPUT, cyclesPerSecond));
        }
        if (!figures.keySet().containsAll(work.contestants(store))) {
            throw new IllegalStateException(work.title() + ": JMH has figures of " + figures.keySet() + " only");
        }
        return Measured.once(Topology.ONE_SERVER, work, figures);
    }

    private Options options(Work work) {
        String method = work == Work.REENTRANT ? "reentrantCycle" : "cycle";
        TimeValue time = TimeValue.milliseconds(pace.jmhMillis());
        return new OptionsBuilder()
                .include("\\.InProcess\\." + method + "$")
                .param(
                        "contestant",
                        work.contestants(store).stream().map(Enum::name).toArray(String[]::new))
                .threads(work.threads())
                .forks(pace.jmhForks())
                .warmupIterations(pace.jmhIterations())
                .warmupTime(time)
                .measurementIterations(pace.jmhIterations())
                .measurementTime(time)
                .shouldFailOnError(true)
                .verbosity(VerboseMode.SILENT)
                .jvmArgs(
                        "-D" + InProcess.STORE + "=" + store,
                        "-D" + InProcess.URI + "=" + uri,
                        "-Djava.io.tmpdir=" + directory,
                        "-Dorg.slf4j.simpleLogger.defaultLogLevel=error")
                .build();
    }
}
