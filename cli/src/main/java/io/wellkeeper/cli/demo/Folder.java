package io.wellkeeper.cli.demo;

import io.wellkeeper.cli.ExitCode;
import io.wellkeeper.cli.Failure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** A private folder for files of the demonstration and its shops: those of an SQLite database, and of its library. */
final class Folder {

    private Folder() {}

    /** Makes a new folder, which is deleted at the end. */
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

    /**
     * Deletes a folder. SQLite may delete some of its files at the same time: when the last client closes the database.
     */
    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.deleteIfExists(file);
            }
        }
        Files.delete(folder);
    }
}
