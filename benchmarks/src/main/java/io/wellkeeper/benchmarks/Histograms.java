package io.wellkeeper.benchmarks;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/** Latencies in nanoseconds, of up to ten minutes, exact to one percent. */
final class Histograms {

    private static final long HIGHEST = 600_000_000_000L;
    private static final int DIGITS = 2;

    private Histograms() {}

    static Histogram empty() {
        return new Histogram(HIGHEST, DIGITS);
    }

    static void record(Histogram histogram, long nanos) {
        histogram.recordValue(Math.min(HIGHEST, nanos));
    }

    static String encode(Histogram histogram) {
        ByteBuffer bytes = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoCompressedByteBuffer(bytes);
        return Base64.getEncoder().encodeToString(Arrays.copyOf(bytes.array(), length));
    }

    static Histogram decode(String text) {
        try {
            return Histogram.decodeFromCompressedByteBuffer(
                    ByteBuffer.wrap(Base64.getDecoder().decode(text)), HIGHEST);
        } catch (DataFormatException damaged) {
            throw new IllegalArgumentException("not a histogram", damaged);
        }
    }
}
