package io.wellkeeper.testservers;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * The program {@code redis-server}, from {@code org.signal:embedded-redis}, which must be on the class path; or another
 * program that the system property {@value #OTHER} names, such as that of Valkey.
 */
final class RedisBinary {

    static final String VERSION = "7.0.15";

    private static final String OTHER = "io.wellkeeper.testservers.redis";

    private RedisBinary() {}

    /** Puts the program for this machine into a directory. */
    static Path extractTo(Path directory) {
        String other = System.getProperty(OTHER);
        if (other != null) {
            return link(directory.resolve("redis-server"), Path.of(other));
        }
        String resource = "redis-server-" + VERSION + "-" + platform();
        Path file = directory.resolve("redis-server");
        try (InputStream program = RedisBinary.class.getClassLoader().getResourceAsStream(resource)) {
            if (program == null) {
                throw new IllegalStateException(
                        resource + " is not on the class path; org.signal:embedded-redis has it");
            }
            Files.copy(program, file);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        if (!file.toFile().setExecutable(true)) {
            throw new IllegalStateException("cannot make " + file + " executable");
        }
        return file;
    }

    private static Path link(Path file, Path program) {
        try {
            return Files.createSymbolicLink(file, program);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static String platform() {
        String os = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String arch = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
        return (os.contains("mac") ? "darwin" : os) + "-"
                + switch (arch) {
                    case "x86_64" -> "amd64";
                    case "aarch64" -> "arm64";
                    default -> arch;
                };
    }
}
