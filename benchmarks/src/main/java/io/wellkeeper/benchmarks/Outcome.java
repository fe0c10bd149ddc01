package io.wellkeeper.benchmarks;

import io.wellkeeper.benchmarks.Slot.Reply;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.DoubleStream;
import org.HdrHistogram.Histogram;

/** The arithmetic: computes measures from the counts of a slot's workers, and one figure from several rounds. */
final class Outcome {

    private static final double NANOS_PER_MICRO = 1_000;
    private static final double NANOS_PER_SECOND = 1e9;

    private Outcome() {}

    /**
     * The measures of one slot; none if no cycle ended in its window.
     *
     * @param work what was done
     * @param replies of its workers
     * @param windowNanos how long the measured window was
     * @param requests the requests that the servers have received for all cycles, counted or not, or while locks were
     *     held
     */
    static Map<Measure, Double> of(Work work, List<Reply> replies, long windowNanos, long requests) {
        if (work.isHolding()) {
            return Map.of(Measure.REQUEST_RATE, requests * NANOS_PER_SECOND / windowNanos);
        }
        Histogram latencies = Histograms.empty();
        long cycles = 0;
        long allCycles = 0;
        long cpuNanos = 0;
        for (int i = 0; i < replies.size(); i++) {
            Reply reply = replies.get(i);
            if (!work.isWaitOnly() || work.roles().get(i).isNewcomer()) {
                latencies.add(Histograms.decode(reply.latencies()));
            }
            cycles += reply.cycles();
            allCycles += reply.allCycles();
            cpuNanos += reply.cpuNanos();
        }
        Map<Measure, Double> result = new EnumMap<>(Measure.class);
        if (latencies.getTotalCount() == 0) {
            return result;
        }
        double p50 = latencies.getValueAtPercentile(50) / NANOS_PER_MICRO;
        double p99 = latencies.getValueAtPercentile(99) / NANOS_PER_MICRO;
        if (work.isWaitOnly()) {
            result.put(Measure.WAIT_P50, p50);
            result.put(Measure.WAIT_P99, p99);
            return result;
        }
        result.put(Measure.THROUGHPUT, cycles * NANOS_PER_SECOND / windowNanos);
        result.put(Measure.CYCLE_P50, p50);
        result.put(Measure.CYCLE_P99, p99);
        result.put(Measure.REQUESTS, (double) requests / allCycles);
        result.put(Measure.CLIENT_CPU, cpuNanos / NANOS_PER_MICRO / cycles);
        if (work.hasShares()) {
            result.put(Measure.CYCLE_MAX, latencies.getMaxValue() / NANOS_PER_MICRO);
            double fair = (double) cycles / replies.size();
            result.put(
                    Measure.SMALLEST_SHARE,
                    replies.stream().mapToLong(Reply::cycles).min().orElseThrow() / fair);
            result.put(
                    Measure.LARGEST_SHARE,
                    replies.stream().mapToLong(Reply::cycles).max().orElseThrow() / fair);
        }
        return result;
    }

    /** The value in the middle, or the mean of the two in the middle; empty if there are no values. */
    static Optional<Double> median(DoubleStream values) {
        double[] sorted = values.sorted().toArray();
        int middle = sorted.length / 2;
        if (sorted.length == 0) {
            return Optional.empty();
        }
        return Optional.of(sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2);
    }
}
