package io.wellkeeper.testservers;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The time of day of some processes, which can be set while they run: a library that is loaded before all others answers them.
 * Their monotonic clock is the machine's. A program that is linked statically does not notice, as the Redis of the tests is.
 *
 * <p>The library is compiled when it is needed first, by {@code cc}, and needs Linux and glibc 2.30. Not thread-safe.
 */
public final class ProcessClock implements AutoCloseable {

    private static final String SOURCE = "clock.c";
    private static final String LIBRARY = "clock.so";
    private static final String MOVED = "moved";

    private final Path directory;
    private final MappedByteBuffer moved;

    private ProcessClock(Path directory, MappedByteBuffer moved) {
        this.directory = directory;
        this.moved = moved;
    }

    /** Whether there can be one on this machine: whether the library can be compiled. */
    public static boolean isPossible() {
        return Compiled.CODE.isPresent();
    }

    /**
     * A clock that tells the machine's time until it is set.
     *
     * @return the clock
     * @throws IllegalStateException if there can be none
     */
    public static ProcessClock start() {
        byte[] library = Compiled.CODE.orElseThrow(
                () -> new IllegalStateException("there is no C compiler, cc, that can compile " + SOURCE));
        try {
            Path directory = Files.createTempDirectory("wellkeeper-clock-");
            // a server may run as another user
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
            Files.write(directory.resolve(LIBRARY), library);
            try (FileChannel file = FileChannel.open(
                    directory.resolve(MOVED),
                    StandardOpenOption.CREATE_NEW,
                    StandardOpenOption.READ,
                    StandardOpenOption.WRITE)) {
                MappedByteBuffer moved = file.map(FileChannel.MapMode.READ_WRITE, 0, Long.BYTES);
                moved.order(ByteOrder.nativeOrder());
                return new ProcessClock(directory, moved);
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** What is to be added to the environment of a process for it to go by this clock. */
    public Map<String, String> environment() {
        return Map.of(
                "LD_PRELOAD",
                directory.resolve(LIBRARY).toString(),
                "WELLKEEPER_CLOCK",
                directory.resolve(MOVED).toString());
    }

    /**
     * Sets it.
     *
     * @param step by how much forward; negative: back
     */
    public void move(Duration step) {
        moved.putLong(0, moved.getLong(0) + step.toNanos());
    }

    /** Deletes its files, which processes that run do not need any more, and those that are started do. */
    @Override
    public void close() {
        KeptProcess.delete(directory);
    }

    /** The library, compiled once. */
    private static final class Compiled {

        static final Optional<byte[]> CODE = Optional.ofNullable(compile());

        private static byte @Nullable [] compile() {
            try {
                Path directory = Files.createTempDirectory("wellkeeper-clock-");
                try (InputStream source =
                        Objects.requireNonNull(ProcessClock.class.getResourceAsStream(SOURCE), SOURCE)) {
                    Files.copy(source, directory.resolve(SOURCE));
                    KeptProcess.run(
                            directory,
                            ProcessBuilder.Redirect.PIPE,
                            List.of("cc", "-O", "-shared", "-fPIC", "-pthread", "-o", LIBRARY, SOURCE));
                    return Files.readAllBytes(directory.resolve(LIBRARY));
                } catch (UncheckedIOException | IllegalStateException none) {
                    return null; // no compiler, or one that does not know what is needed
                } finally {
                    KeptProcess.delete(directory);
                }
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        }
    }
}
