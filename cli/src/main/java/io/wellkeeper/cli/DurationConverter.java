package io.wellkeeper.cli;

import io.wellkeeper.spi.StoreUri;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads lengths of time: seconds as {@code flock} takes them ({@code 5}, {@code 0.5}), or with a unit ({@code 500ms}). */
final class DurationConverter implements ITypeConverter<Duration> {

    private static final Pattern SECONDS = Pattern.compile("\\d{1,9}(\\.\\d{1,9})?");

    @Override
    public Duration convert(String text) {
        try {
            return read(text);
        } catch (IllegalArgumentException wrong) {
            throw new TypeConversionException(String.valueOf(wrong.getMessage()));
        }
    }

    /**
     * Reads a length of time.
     *
     * @throws IllegalArgumentException if the text is no length of time
     */
    static Duration read(String text) {
        if (SECONDS.matcher(text).matches()) {
            return Duration.ofNanos(new BigDecimal(text)
                    .movePointRight(9)
                    .setScale(0, RoundingMode.UNNECESSARY)
                    .longValueExact());
        }
        return StoreUri.parseDuration(text);
    }
}
