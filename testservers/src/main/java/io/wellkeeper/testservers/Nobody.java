package io.wellkeeper.testservers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The user {@code nobody}, as whom root starts what refuses to run as root. */
final class Nobody {

    private static final int ID = 65_534;
    private static final boolean IS_NEEDED = System.getProperty("user.name").equals("root");

    private Nobody() {}

    /** Gives him a directory with all that is in it, if he is needed. */
    static void give(Path directory) throws IOException {
        if (IS_NEEDED) {
            try (Stream<Path> files = Files.walk(directory)) {
                for (Path file : files.toList()) {
                    Files.setAttribute(file, "unix:uid", ID, LinkOption.NOFOLLOW_LINKS);
                }
            }
        }
    }

    /** What comes before a command that he carries out; nothing if he is not needed. */
    static List<String> prefix() {
        return IS_NEEDED ? List.of("setpriv", "--reuid=" + ID, "--regid=" + ID, "--clear-groups") : List.of();
    }
}
