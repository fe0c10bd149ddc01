package io.wellkeeper.testservers;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Keeps a process from writing to files, as a full disk does, by {@code prlimit}. That program is part of util-linux
 * and needs no more rights than those of the user of the process. The process gets the error that a file is too large,
 * instead of the error that the disk has no space left. It cannot overwrite files either, but it can read and delete
 * them. A process that does not ignore the signal XFSZ ends by it.
 */
public final class DiskSpace {

    private static final String PROGRAM = "prlimit";

    private DiskSpace() {}

    /** Whether processes on this machine can be kept from writing: whether there is {@code prlimit}. */
    public static boolean canBeTaken() {
        String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
        return Stream.of(path.split(File.pathSeparator))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, PROGRAM)));
    }

    /**
     * From now on a process can write to no file.
     *
     * @param user the prefix with which a command runs as the user of the process
     * @param pid of the process
     */
    static void take(List<String> user, long pid) {
        limit(user, pid, "0:"); // the colon leaves the hard limit as it is: only root could raise that again
    }

    /** Lets a process write again. */
    static void giveBack(List<String> user, long pid) {
        limit(user, pid, "unlimited:");
    }

    private static void limit(List<String> user, long pid, String limits) {
        List<String> command = new ArrayList<>(user);
        command.addAll(List.of(PROGRAM, "--fsize=" + limits, "--pid", Long.toString(pid)));
        KeptProcess.run(Path.of("/"), ProcessBuilder.Redirect.PIPE, command);
    }
}
