package io.wellkeeper.testservers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The user {@code nobody}. Root starts programs as this user that refuse to run as root. */
final class Nobody {

    private static final int ID = 65_534;
    private static final boolean IS_NEEDED = System.getProperty("user.name").equals("root");

    private Nobody() {}

    /** Makes this user the owner of a directory with all files in it, if the user is needed. */
    static void give(Path directory) throws IOException {
        if (IS_NEEDED) {
            try (Stream<Path> files = Files.walk(directory)) {
                for (Path file : files.toList()) {
                    Files.setAttribute(file, "unix:uid", ID, LinkOption.NOFOLLOW_LINKS);
                }
            }
        }
    }

    /** The prefix with which a command runs as this user; empty if the user is not needed. */
    static List<String> prefix() {
        return IS_NEEDED ? List.of("setpriv", "--reuid=" + ID, "--regid=" + ID, "--clear-groups") : List.of();
    }
}
