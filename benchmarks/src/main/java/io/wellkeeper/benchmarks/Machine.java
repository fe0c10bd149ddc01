package io.wellkeeper.benchmarks;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.HdrHistogram.Histogram;

/** Describes the machine of the measurements. */
public final class Machine {

    private static final int SYNCS = 300;
    private static final int SYNC_BYTES = 512;
    private static final double KIB_PER_GIB = 1024.0 * 1024;

    private Machine() {}

    /** The facts by their headings; {@code directory} is where the servers keep their data. */
    public static Map<String, String> describe(Path directory) throws IOException {
        Map<String, String> result = new LinkedHashMap<>();
        result.put("CPU", value("/proc/cpuinfo", "model name").orElse(System.getProperty("os.arch")));
        result.put("Cores", Integer.toString(Runtime.getRuntime().availableProcessors()));
        value("/proc/meminfo", "MemTotal").ifPresent(kib -> result.put("Memory", gib(kib)));
        result.put(
                "Operating system",
                value("/etc/os-release", "PRETTY_NAME").orElse("").replace("\"", "") + " (" + property("os.name") + " "
                        + property("os.version") + ")");
        result.put("JDK", property("java.vm.name") + " " + property("java.runtime.version"));
        result.put("Disk", Files.getFileStore(directory).type() + ", " + syncLatency(directory));
        result.put(
                "Load before the run",
                String.format(
                        Locale.ROOT,
                        "%.2f",
                        ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage()));
        return result;
    }

    private static Optional<String> value(String file, String key) throws IOException {
        Path path = Path.of(file);
        if (!Files.isReadable(path)) {
            return Optional.empty();
        }
        List<String> lines = Files.readAllLines(path);
        return lines.stream()
                .map(line -> line.split("[:=]", 2))
                .filter(pair -> pair.length == 2 && pair[0].strip().equals(key))
                .map(pair -> pair[1].strip())
                .findFirst();
    }

    private static String gib(String kib) {
        return String.format(Locale.ROOT, "%.1f GiB", Long.parseLong(kib.split(" ", 2)[0]) / KIB_PER_GIB);
    }

    private static String property(String key) {
        return System.getProperty(key, "?");
    }

    /** How long it takes to force a small write to the disk, as the servers do with their logs. */
    private static String syncLatency(Path directory) throws IOException {
        Histogram latencies = Histograms.empty();
        Path file = Files.createTempFile(directory, "sync", ".bin");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            for (int i = 0; i < SYNCS; i++) {
                long start = System.nanoTime();
                channel.write(ByteBuffer.allocate(SYNC_BYTES));
                channel.force(false);
                Histograms.record(latencies, System.nanoTime() - start);
            }
        } finally {
            Files.delete(file);
        }
        return String.format(
                Locale.ROOT,
                "%d bytes written and synced: p50 %d us, p99 %d us",
                SYNC_BYTES,
                latencies.getValueAtPercentile(50) / 1_000,
                latencies.getValueAtPercentile(99) / 1_000);
    }
}
