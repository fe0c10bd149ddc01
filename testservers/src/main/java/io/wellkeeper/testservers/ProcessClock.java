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
 * A time of day for some processes, which can be set while they run: a library that is loaded before all others answers
 * their questions for the time. Their monotonic clock is that of the machine. The library has no effect on a statically
 * linked program, such as the Redis of the tests.
 *
 * <p>The library is compiled by {@code cc} when it is first needed. It needs Linux and glibc 2.30. Not thread-safe.
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

    /** Whether this machine can have such a clock: whether the library can be compiled. */
    public static boolean isPossible() {
        return Compiled.CODE.isPresent();
    }

    /**
     * Makes a clock that shows the machine's time until it is set.
     *
     * @return the clock
     * @throws IllegalStateException if this machine cannot have such a clock
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

    /** The environment variables that make a process use this clock. */
    public Map<String, String> environment() {
        return Map.of(
                "LD_PRELOAD",
                directory.resolve(LIBRARY).toString(),
                "WELLKEEPER_CLOCK",
                directory.resolve(MOVED).toString());
    }

    /**
     * Sets the clock forward or back.
     *
     * @param step by how much forward; back if negative
     */
    public void move(Duration step) {
        moved.putLong(0, moved.getLong(0) + step.toNanos());
    }

    /**
     * Deletes the files of the clock. Running processes do not need them any more, but no more processes can be
     * started.
     */
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
                    return null; // there is no compiler, or it cannot compile the library
                } finally {
                    KeptProcess.delete(directory);
                }
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        }
    }
}
