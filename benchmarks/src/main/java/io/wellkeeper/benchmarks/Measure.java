package io.wellkeeper.benchmarks;

import org.jspecify.annotations.Nullable;

/** The quantities that are measured. */
enum Measure {
    THROUGHPUT("throughput", "cycles/s", true),
    CYCLE_P50("cycle p50", "us", false),
    CYCLE_P99("cycle p99", "us", false),
    CYCLE_MAX("longest cycle", "us", false),
    WAIT_P50("wait p50", "us", false),
    WAIT_P99("wait p99", "us", false),
    REQUESTS("requests", "requests/cycle", false),
    REQUEST_RATE("requests", "requests/s", false),
    CLIENT_CPU("client CPU", "us/cycle", false),
    SMALLEST_SHARE("smallest share of a process", "fair shares", true),
    LARGEST_SHARE("largest share of a process", "fair shares", false);

    private final String title;
    private final String unit;
    private final boolean moreIsBetter;

    Measure(String title, String unit, boolean moreIsBetter) {
        this.title = title;
        this.unit = unit;
        this.moreIsBetter = moreIsBetter;
    }

    String title() {
        return title;
    }

    String unit() {
        return unit;
    }

    /** The ratio of two figures, above 1 if ours is better; null if there is none because a figure is 0. */
    @Nullable
    Double ratio(double ours, double theirs) {
        double ratio = moreIsBetter ? ours / theirs : theirs / ours;
        return Double.isFinite(ratio) && ratio > 0 ? ratio : null;
    }
}
