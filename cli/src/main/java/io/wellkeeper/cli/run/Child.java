package io.wellkeeper.cli.run;

import io.wellkeeper.cli.Terminal;
import java.io.File;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The command and the processes that it started, with our standard input, output and error; on Linux with a {@linkplain
 * DeadMansSwitch dead man's switch}. If one of the three streams is a terminal, the command is in our process group, so
 * that it has the terminal, and the shell stops and continues it together with us. Else it leads a session of its own,
 * if the system has {@code setsid}, so that also processes that have changed their process group are found.
 */
final class Child {

    /** How long to wait at most until the switch has killed all processes. */
    private static final Duration SWITCH_TAKES = Duration.ofMillis(100);

    private final Process process;
    private final boolean leadsGroup;
    private final Optional<DeadMansSwitch> deadMansSwitch;
    private final Supplier<Duration> allowed;
    // known processes that the command has started
    private final Set<ProcessHandle> started = ConcurrentHashMap.newKeySet();

    private Child(
            Process process, boolean leadsGroup, Optional<DeadMansSwitch> deadMansSwitch, Supplier<Duration> allowed) {
        this.process = process;
        this.leadsGroup = leadsGroup;
        this.deadMansSwitch = deadMansSwitch;
        this.allowed = allowed;
    }

    /**
     * Starts a command.
     *
     * @param command program and arguments
     * @param environment variables to set; those without a value are removed
     * @param executables where to look for helpers
     * @param allowed tells how long the command may run on from now if this process cannot end it
     */
    static Child start(
            List<String> command,
            Map<String, Optional<String>> environment,
            Executables executables,
            Supplier<Duration> allowed)
            throws IOException {
        boolean group = executables.has("setsid") && !Terminal.isAnyPresent();
        Optional<DeadMansSwitch> deadMansSwitch = DeadMansSwitch.start(executables);
        List<String> line = new ArrayList<>();
        if (group) {
            line.add("setsid");
        }
        if (deadMansSwitch.isPresent()) {
            deadMansSwitch.get().killAfter(allowed);
            line.addAll(deadMansSwitch.get().prefix(group));
        }
        line.addAll(command);
        ProcessBuilder builder = new ProcessBuilder(line).inheritIO();
        environment.forEach((name, value) -> value.ifPresentOrElse(
                text -> builder.environment().put(name, text),
                () -> builder.environment().remove(name)));
        return new Child(builder.start(), group, deadMansSwitch, allowed);
    }

    /** Tells the switch that the command may run on for as long as is allowed now. */
    void putOffKill() {
        tellSwitch(known -> known.killAfter(allowed));
    }

    /** Tells the switch to leave the processes alone that the command has started. */
    void letGo() {
        tellSwitch(DeadMansSwitch::end);
    }

    private interface Message {
        void tell(DeadMansSwitch to) throws IOException;
    }

    /** Sends a message to the switch; false if there is no switch, or it was killed. */
    private boolean tellSwitch(Message message) {
        if (deadMansSwitch.isPresent()) {
            try {
                message.tell(deadMansSwitch.get());
                return true;
            } catch (IOException gone) {
                return false;
            }
        }
        return false;
    }

    /** A future that completes when the command has ended. */
    CompletableFuture<?> onExit() {
        return process.onExit();
    }

    /** A future that completes when the command and all processes that it has started up to now have ended. */
    CompletableFuture<?> onFamilyExit() {
        return CompletableFuture.allOf(Stream.concat(Stream.of(process.onExit()), family().map(ProcessHandle::onExit))
                .toArray(CompletableFuture<?>[]::new));
    }

    /**
     * The processes that the command has started; also those whose parents have ended, if they were seen before that.
     */
    private Stream<ProcessHandle> family() {
        started.removeIf(known -> !known.isAlive());
        started.addAll(Stream.concat(Stream.of(process.toHandle()), started.stream())
                .flatMap(ProcessHandle::descendants)
                .toList());
        return started.stream();
    }

    /** The exit code of the command as a shell tells it: 128 + n if signal n ended it. */
    int exitCode() {
        return process.exitValue();
    }

    /** Passes on a signal that this process got, unless the terminal has sent it to the command as well. */
    void pass(OsSignal signal) {
        if (!signal.name().equals("INT") || !Terminal.isAnyPresent()) {
            signal(signal.name());
        }
    }

    /** Sends a signal to the command and everything that it has started. */
    void signal(String name) {
        if (!tellSwitch(known -> known.signal(name))) {
            signalByShell(name);
        }
    }

    /** Kills the command and everything that it has started, even if no more processes can be made for that. */
    void kill() {
        boolean told = tellSwitch(known -> known.signal("KILL"));
        if (told) {
            // The switch leaves no process behind. A process that is killed before the switch finds it may have started
            // others.
            onExit().completeOnTimeout(null, SWITCH_TAKES.toMillis(), TimeUnit.MILLISECONDS)
                    .join();
        }
        family().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        if (!told) {
            signalByShell("KILL");
        }
    }

    private void signalByShell(String name) {
        try {
            if (quiet("sh", "-c", "kill -" + name + " " + targets() + " || kill -" + name + " " + process.pid()) != 0) {
                fallBack(name);
            }
        } catch (IOException noShell) {
            fallBack(name);
        }
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
        return Stream.concat(family().map(ProcessHandle::pid), Stream.of(process.pid()))
                .map(String::valueOf)
                .collect(Collectors.joining(" "));
    }

    /** Runs a helper without output. An interrupt does not disturb the helper, because it soon ends anyway. */
    private static int quiet(String... command) throws IOException {
        Process helper = new ProcessBuilder(command)
                .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        return helper.onExit().join().exitValue();
    }
}
