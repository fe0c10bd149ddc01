package io.wellkeeper.cli.run;

import io.wellkeeper.cli.ExitCode;
import io.wellkeeper.cli.Failure;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Finds programs as the shell does. */
public final class Executables {

    private static final String DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";

    private final List<Path> directories;

    /**
     * @param path the value of {@code PATH}
     */
    public Executables(Optional<String> path) {
        this.directories = Arrays.stream(path.orElse(DEFAULT_PATH).split(File.pathSeparator))
                .map(directory -> Path.of(directory.isEmpty() ? "." : directory))
                .toList();
    }

    /**
     * Checks, before the wait for a lock, whether a command can be run at all.
     *
     * @param command a name, or a path with a slash
     * @throws Failure if there is no such command, or it is not executable
     */
    public void require(String command) {
        List<Path> files = candidates(command).filter(Files::exists).toList();
        if (files.isEmpty()) {
            throw new Failure(ExitCode.NOT_FOUND, command + ": command not found");
        }
        if (files.stream().noneMatch(Executables::isProgram)) {
            throw new Failure(ExitCode.NOT_EXECUTABLE, command + ": cannot be executed");
        }
    }

    boolean has(String command) {
        return candidates(command).anyMatch(Executables::isProgram);
    }

    private Stream<Path> candidates(String command) {
        if (command.contains(File.separator)) {
            return Stream.of(Path.of(command));
        }
        return command.isEmpty() ? Stream.empty() : directories.stream().map(directory -> directory.resolve(command));
    }

    private static boolean isProgram(Path file) {
        return Files.isRegularFile(file) && Files.isExecutable(file);
    }
}
