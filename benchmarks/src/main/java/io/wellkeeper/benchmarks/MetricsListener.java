package io.wellkeeper.benchmarks;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.wellkeeper.LockListener;
import io.wellkeeper.LockListener.Acquisition;
import io.wellkeeper.micrometer.LockMetrics;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The cost of the metrics of one cycle, on the thread of the callback executor. {@code benchmarks/listener} runs this.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
@State(Scope.Thread)
@SuppressWarnings("NullAway.Init") // JMH sets the fields
public class MetricsListener {

    private static final Duration TIME = Duration.ofMillis(3);

    /** How many locks are used, one after another. */
    @Param({"1", "100000"})
    public int locks;

    private LockListener metrics;
    private Acquisition[] acquisitions;
    private int next;

    /** Makes the locks. */
    @Setup
    public void prepare() {
        metrics = new LockMetrics(new SimpleMeterRegistry());
        acquisitions = new Acquisition[locks];
        for (int i = 0; i < locks; i++) {
            acquisitions[i] = new Acquisition("orders/" + i, LockListener.Mode.LOCK, 1, Map.of());
        }
    }

    private Acquisition next() {
        next = next + 1 < locks ? next + 1 : 0;
        return acquisitions[next];
    }

    /** A lock that is free. */
    @Benchmark
    public void free() {
        Acquisition what = next();
        metrics.acquired(what, TIME);
        metrics.released(what, TIME);
    }

    /** A lock that is waited for, and handed over. */
    @Benchmark
    public void contended() {
        Acquisition what = next();
        metrics.contended(what);
        metrics.handedOver(what);
        metrics.acquired(what, TIME);
        metrics.released(what, TIME);
    }
}
