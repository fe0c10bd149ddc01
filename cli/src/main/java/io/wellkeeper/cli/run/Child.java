package io.wellkeeper.cli.run;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The command and what it started, in a process group of its own where the system has {@code setsid}, with our standard
 * input, output and error. Where it has {@code setpriv}, the command is told to end when this process dies without
 * having had the time to end it.
 */
final class Child {

    private final Process process;
    private final boolean leadsGroup;

    private Child(Process process, boolean leadsGroup) {
        this.process = process;
        this.leadsGroup = leadsGroup;
    }

    /**
     * Starts a command. The calling thread must outlive it, because {@code setpriv --pdeathsig} means the thread.
     *
     * @param command program and arguments
     * @param environment variables to set; those without a value are removed
     * @param executables where to look for helpers
     */
    static Child start(List<String> command, Map<String, Optional<String>> environment, Executables executables)
            throws IOException {
        boolean group = executables.has("setsid");
        List<String> line = new ArrayList<>();
        if (group) {
            line.add("setsid");
        }
        if (executables.has("setpriv") && knowsParentDeathSignal()) {
            line.addAll(List.of("setpriv", "--pdeathsig", "TERM", "--"));
        }
        line.addAll(command);
        ProcessBuilder builder = new ProcessBuilder(line).inheritIO();
        environment.forEach((name, value) -> value.ifPresentOrElse(
                text -> builder.environment().put(name, text),
                () -> builder.environment().remove(name)));
        return new Child(builder.start(), group);
    }

    private static boolean knowsParentDeathSignal() throws IOException {
        return quiet("setpriv", "--pdeathsig", "TERM", "--", "true") == 0;
    }

    /** When the command has ended. */
    CompletableFuture<?> onExit() {
        return process.onExit();
    }

    /** When the command and all it has started up to now have ended. */
    CompletableFuture<?> onFamilyExit() {
        return CompletableFuture.allOf(
                Stream.concat(Stream.of(process.onExit()), process.descendants().map(ProcessHandle::onExit))
                        .toArray(CompletableFuture<?>[]::new));
    }

    /** Its exit code as a shell tells it: 128 + n if signal n ended it. */
    int exitCode() {
        return process.exitValue();
    }

    /** Sends a signal to the command and everything in its group. */
    void signal(String name) {
        try {
            if (quiet("sh", "-c", "kill -" + name + " " + targets() + " || kill -" + name + " " + process.pid()) != 0) {
                fallBack(name);
            }
        } catch (IOException noShell) {
            fallBack(name);
        }
    }

    /** Ends the command and everything in its group, now. */
    void kill() {
        signal("KILL");
        process.destroyForcibly();
    }

    private void fallBack(String name) {
        if (name.equals("TERM")) {
            process.destroy();
        }
    }

    private String targets() {
        if (leadsGroup) {
            return "-" + process.pid();
        }
        return Stream.concat(process.descendants().map(ProcessHandle::pid), Stream.of(process.pid()))
                .map(String::valueOf)
                .collect(Collectors.joining(" "));
    }

    /** Runs a helper without output; an interrupt does not disturb it, because it is about to end anyway. */
    private static int quiet(String... command) throws IOException {
        Process helper = new ProcessBuilder(command)
                .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        return helper.onExit().join().exitValue();
    }
}
