package io.wellkeeper.cli.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** A file for the locks of the demonstration, with what the database puts beside it. */
final class LocksFile {

    private LocksFile() {}

    /** Where a store can be; deleted in the end. */
    static String make(Closer closer) {
        try {
            Path folder = Files.createTempDirectory("wellkeeper-demo-");
            closer.register(() -> delete(folder));
            return "jdbc:sqlite:" + folder.resolve("locks.db");
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** SQLite clears away its files by itself when the last one closes the database, which may be just now. */
    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.deleteIfExists(file);
            }
        }
        Files.delete(folder);
    }
}
