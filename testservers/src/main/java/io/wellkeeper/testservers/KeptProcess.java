package io.wellkeeper.testservers;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongConsumer;
import java.util.stream.Stream;

/**
 * A program and its child processes. They end with this JVM, however the JVM ends. Needs a POSIX shell, and Linux,
 * which lists the children of a process. Not thread-safe, except for {@link #death}.
 */
final class KeptProcess {

    /**
     * A shell script that runs a program. When the program ends, the script ends with the same exit code. When the
     * script's standard input ends, as it does when this JVM is gone, the script kills the program. The program ignores
     * the signal XFSZ, so it gets an error and does not end when it can write no more. Once the program has ended, the
     * script kills nothing, because another process may have its number by then.
     */
    private static final String KEEPER = "trap '' XFSZ; exec 3<&0; \"$@\" </dev/null >>out 2>&1 3<&- & p=$!; echo $p; "
            + "{ read x <&3; trap '' TERM; kill -9 $p $(cat /proc/$p/task/$p/children); } & k=$!; "
            + "wait $p; s=$?; kill $k; exit $s";

    private final Process keeper;
    private final String name;
    private final Path directory;
    private final long pid;
    private final CompletableFuture<Long> ended; // when it ended, by System.nanoTime()
    private volatile boolean mayEnd; // it was killed here, or cannot write: its end is no surprise

    private KeptProcess(Process keeper, String name, Path directory, long pid) {
        this.keeper = keeper;
        this.name = name;
        this.directory = directory;
        this.pid = pid;
        this.ended = keeper.onExit().thenApply(unused -> System.nanoTime());
    }

    /**
     * Starts a program.
     *
     * @param directory where it runs; its output is appended to the file {@code out} there
     * @param environment variables that are added to its environment
     * @param command the program and its arguments
     */
    static KeptProcess start(Path directory, Map<String, String> environment, List<String> command) {
        String name = Path.of(command.get(0)).getFileName().toString();
        List<String> kept = new ArrayList<>(List.of("/bin/sh", "-c", KEEPER, name));
        kept.addAll(command);
        try {
            ProcessBuilder builder = new ProcessBuilder(kept)
                    .directory(directory.toFile())
                    .redirectError(ProcessBuilder.Redirect.DISCARD);
            builder.environment().putAll(environment);
            Process keeper = builder.start();
            BufferedReader said = keeper.inputReader(StandardCharsets.UTF_8);
            return new KeptProcess(keeper, name, directory, Long.parseLong(said.readLine()));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /**
     * Runs a program to its end.
     *
     * @param directory where it runs
     * @param input its standard input
     * @param command the program and its arguments
     * @throws IllegalStateException if it fails; the message has its output
     */
    static void run(Path directory, ProcessBuilder.Redirect input, List<String> command) {
        try {
            Process process = new ProcessBuilder(command)
                    .directory(directory.toFile())
                    .redirectErrorStream(true)
                    .redirectInput(input)
                    .start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new IllegalStateException("failed: " + String.join(" ", command) + "\n" + said);
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while running " + command.get(0), interrupted);
        }
    }

    long pid() {
        return pid;
    }

    /** Whether it has not ended. A paused process is alive. */
    boolean isAlive() {
        return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    }

    /** The output of this program, and of earlier programs whose output went to the same file. */
    String output() {
        try {
            return new String(Files.readAllBytes(directory.resolve("out")), StandardCharsets.UTF_8);
        } catch (IOException none) {
            return "";
        }
    }

    /**
     * How the program has ended by itself; empty while it runs, and if it was {@linkplain #kill() killed} here or
     * cannot write.
     *
     * @param server the name of the server
     */
    Optional<ServerDeath> death(String server) {
        if (!ended.isDone() || mayEnd) { // in this order: mayEnd is set before the program is killed
            return Optional.empty();
        }
        return Optional.of(new ServerDeath(
                server, ended.join(), keeper.exitValue(), output().lines().toList()));
    }

    /** Sends a signal to the program, and then to its children. */
    void signal(String signal) {
        forEach(process ->
                run(directory, ProcessBuilder.Redirect.PIPE, List.of("kill", "-" + signal, Long.toString(process))));
    }

    /**
     * From now on the program and its children can write to no file.
     *
     * @param user the prefix with which a command runs as the user of the program
     */
    void fillDisk(List<String> user) {
        mayEnd = true;
        forEach(process -> DiskSpace.take(user, process));
    }

    /**
     * Lets the program and its children write again.
     *
     * @param user as for {@link #fillDisk}
     */
    void freeDisk(List<String> user) {
        forEach(process -> DiskSpace.giveBack(user, process));
        mayEnd = false;
    }

    /** Does something to the program, and then to its children. */
    private void forEach(LongConsumer action) {
        action.accept(pid);
        for (ProcessHandle child : children()) {
            try {
                action.accept(child.pid());
            } catch (IllegalStateException failed) {
                if (child.isAlive()) {
                    throw failed;
                }
            }
        }
    }

    private List<ProcessHandle> children() {
        return ProcessHandle.of(pid).stream().flatMap(ProcessHandle::children).toList();
    }

    /** Ends the program and its children as {@code kill -9} does, paused or not. */
    void kill() {
        mayEnd = true;
        List<ProcessHandle> children = children();
        try {
            keeper.getOutputStream().close();
            if (!keeper.waitFor(30, TimeUnit.SECONDS)) {
                throw new IllegalStateException(name + " does not end");
            }
            for (ProcessHandle child : children) {
                child.onExit().get(30, TimeUnit.SECONDS);
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while ending " + name, interrupted);
        } catch (ExecutionException | TimeoutException alive) {
            throw new IllegalStateException("a child of " + name + " does not end", alive);
        }
    }

    /** Deletes a directory with all files in it. */
    static void delete(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException failed) {
            throw new UncheckedIOException("cannot delete " + directory, failed);
        }
    }
}
