package io.wellkeeper.testservers;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * How much a process may write: by {@code prlimit}, which is part of util-linux and needs no more than the user of the
 * process. It is told that a file is too large, where a full disk has no space left, and cannot overwrite either; what it
 * has written can be read, and it can delete. Of a process that does not ignore the signal XFSZ it is the end.
 */
public final class DiskSpace {

    private static final String PROGRAM = "prlimit";

    private DiskSpace() {}

    /** Whether it can be taken from processes on this machine: whether there is {@code prlimit}. */
    public static boolean canBeTaken() {
        String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
        return Stream.of(path.split(File.pathSeparator))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, PROGRAM)));
    }

    /**
     * Lets a process write nothing more to any file.
     *
     * @param user what comes before a command that the user of the process carries out
     * @param pid of the process
     */
    static void take(List<String> user, long pid) {
        limit(user, pid, "0:"); // the colon leaves the hard limit, which only root could raise again
    }

    /** Lets it write again. */
    static void giveBack(List<String> user, long pid) {
        limit(user, pid, "unlimited:");
    }

    private static void limit(List<String> user, long pid, String limits) {
        List<String> command = new ArrayList<>(user);
        command.addAll(List.of(PROGRAM, "--fsize=" + limits, "--pid", Long.toString(pid)));
        KeptProcess.run(Path.of("/"), ProcessBuilder.Redirect.PIPE, command);
    }
}
