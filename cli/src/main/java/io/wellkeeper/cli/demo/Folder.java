package io.wellkeeper.cli.demo;

import io.wellkeeper.cli.ExitCode;
import io.wellkeeper.cli.Failure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Where the demonstration and its shops put files: those of an SQLite database, and its library. Nobody else may look in. */
final class Folder {

    private Folder() {}

    /** A new one; deleted in the end. */
    static Path make(Closer closer) {
        Path folder;
        try {
            folder = Files.createTempDirectory("wellkeeper-demo-");
        } catch (IOException failed) {
            throw new Failure(ExitCode.CANNOT_CREATE, "cannot make a folder for temporary files: " + failed);
        }
        closer.register(() -> delete(folder));
        return folder;
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
