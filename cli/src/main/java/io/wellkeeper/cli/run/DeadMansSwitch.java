package io.wellkeeper.cli.run;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A small process that kills the command and all it has started when its time is up, and at once when this process is
 * gone. It needs neither this process to be awake nor the store to answer: if this process is killed, stopped or short
 * of memory, the command still cannot go on running beside that of the next holder.
 *
 * <p>The new process sends the switch its process id before it becomes the command, so that there is no moment in which
 * nobody would end the command.
 */
final class DeadMansSwitch {

    private static final Path UPTIME = Path.of("/proc/uptime"); // one clock for both processes
    private static final int NANOS_OF_A_TICK = 10_000_000;
    private static final String OUR_PID = Long.toString(ProcessHandle.current().pid());

    /**
     * Environment variables do not affect {@code bash}; the command gets all of them, also those that other shells
     * drop.
     */
    private static final List<String> BASH = List.of("bash", "-p", "-c");

    /**
     * Its arguments: the process id of the switch, the message for the switch, the id of this process, and the command.
     */
    private static final String BEGIN = """
            echo "$1 $$" >"/proc/$0/fd/0" && read -r _ _ _ parent _ <"/proc/$$/stat" && [ "$parent" = "$2" ] || exit 126
            shift 2
            exec "$@"
            """;

    private final Process process;

    private DeadMansSwitch(Process process) {
        this.process = process;
    }

    /**
     * Starts a switch, if the system is Linux and has {@code bash} and {@code setsid}.
     *
     * @param executables where to look for these programs
     */
    static Optional<DeadMansSwitch> start(Executables executables) throws IOException {
        if (!Files.isReadable(UPTIME) || !executables.has("bash") || !executables.has("setsid")) {
            return Optional.empty();
        }
        Process process = new ProcessBuilder(commandLine())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        return Optional.of(new DeadMansSwitch(process));
    }

    /** The command line of the process of the switch. */
    static List<String> commandLine() throws IOException {
        List<String> line = new ArrayList<>(List.of("setsid"));
        line.addAll(BASH);
        line.add(script());
        return line;
    }

    private static String script() throws IOException {
        try (InputStream script = DeadMansSwitch.class.getResourceAsStream("dead-mans-switch.sh")) {
            if (script == null) {
                throw new IOException("the script of the dead man's switch is missing");
            }
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /**
     * The words before those of the command. They make the new process tell the switch its process id. The command is
     * not started if this process is gone by then, because the message would not be read any more.
     *
     * @param leader whether the command leads a session of its own, instead of being in ours
     */
    List<String> prefix(boolean leader) {
        List<String> words = new ArrayList<>(BASH);
        words.addAll(List.of(BEGIN, Long.toString(process.pid()), leader ? "session" : "tree", OUR_PID));
        return words;
    }

    /**
     * Tells the switch to kill the command after some time, unless it gets another message before.
     *
     * @param time returns the time; called after the clock was read, so that a pause between the two makes the kill
     *     earlier, never later
     */
    void killAfter(Supplier<Duration> time) throws IOException {
        tell(until(time));
    }

    /** The message that makes the switch kill the command after some time. */
    static String until(Supplier<Duration> time) throws IOException {
        String uptime = Files.readString(UPTIME);
        long now = Long.parseLong(uptime.substring(0, uptime.indexOf(' ')).replace(".", ""));
        return "until " + (now + time.get().toNanos() / NANOS_OF_A_TICK);
    }

    /** Lets the switch send a signal to the command, so that no new process is needed for that. */
    void signal(String name) throws IOException {
        tell("signal " + name);
    }

    /** Tells the switch that the command has ended; other processes that it has started may run on. */
    void end() throws IOException {
        tell("end");
    }

    private synchronized void tell(String line) throws IOException {
        process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.US_ASCII));
        process.getOutputStream().flush();
    }
}
