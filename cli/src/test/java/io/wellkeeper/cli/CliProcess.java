package io.wellkeeper.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.cli.run.Processes;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** The tool in a process of its own. */
final class CliProcess implements AutoCloseable {

    private static final long PATIENCE_SECONDS = 100;
    private static final Path TEMPORARY = Path.of(System.getProperty("java.io.tmpdir"));

    private final Process process;
    private final BlockingQueue<String> out = new LinkedBlockingQueue<>();
    private final List<String> err = new CopyOnWriteArrayList<>();
    private final Thread outReader;
    private final Thread errReader;

    private CliProcess(Process process) {
        this.process = process;
        this.outReader = read(process.inputReader(StandardCharsets.UTF_8), out::add);
        this.errReader = read(process.errorReader(StandardCharsets.UTF_8), err::add);
    }

    static CliProcess start(String... arguments) throws IOException {
        return start(TEMPORARY, Map.of(), arguments);
    }

    /** Starts it with a directory of its own for temporary files. */
    static CliProcess startIn(Path temporary, String... arguments) throws IOException {
        return start(temporary, Map.of(), arguments);
    }

    /** Starts it with more variables in its environment. */
    static CliProcess startWith(Map<String, String> variables, String... arguments) throws IOException {
        return start(TEMPORARY, variables, arguments);
    }

    /** Starts it in a terminal of its own, of 24 lines and 80 columns, on which everything is written. */
    static CliProcess startInTerminal(String... arguments) throws IOException {
        return startLineInTerminal("exec " + line(command(TEMPORARY, arguments)));
    }

    /** Starts a shell in a terminal of its own, to which lines can be typed. */
    static CliProcess startShellInTerminal() throws IOException {
        return startLineInTerminal("PS1='' exec bash --norc --noprofile -i");
    }

    private static CliProcess startLineInTerminal(String line) throws IOException {
        String sized = "stty rows 24 cols 80 -echo; " + line;
        List<String> command = Processes.withDefaultSignals(List.of("script", "-qec", sized, "/dev/null"));
        return new CliProcess(new ProcessBuilder(command).start());
    }

    /** Writes a program that runs it: a terminal takes no line as long as that which starts it otherwise. */
    static Path writeProgram(Path directory) throws IOException {
        Path program = directory.resolve("wellkeeper");
        Files.writeString(program, "#!/bin/sh\nexec " + line(command(TEMPORARY)) + " \"$@\"\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        return program;
    }

    private static String line(List<String> command) {
        return command.stream()
                .map(word -> "'" + word.replace("'", "'\\''") + "'")
                .collect(Collectors.joining(" "));
    }

    private static CliProcess start(Path temporary, Map<String, String> variables, String... arguments)
            throws IOException {
        ProcessBuilder builder = new ProcessBuilder(Processes.withDefaultSignals(command(temporary, arguments)));
        builder.environment().putAll(variables);
        return new CliProcess(builder.start());
    }

    private static List<String> command(Path temporary, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"));
        command.add("-Djava.io.tmpdir=" + temporary);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
        command.addAll(List.of(arguments));
        return command;
    }

    /** Presses keys. */
    void press(String keys) throws IOException {
        process.getOutputStream().write(keys.getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().flush();
    }

    /** Writes to its standard input and ends that. */
    void input(String text) throws IOException {
        process.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().close();
    }

    void signal(String name) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("sh", "-c", "kill -" + name + " " + process.pid())
                .inheritIO()
                .start();
        assertThat(kill.waitFor()).isZero();
    }

    /** The processes it has started that live. */
    List<Long> descendants() {
        return process.descendants().map(ProcessHandle::pid).toList();
    }

    /** The next line it writes. */
    String line() throws InterruptedException {
        String line = out.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertThat(line).as("standard output; standard error is %s", err).isNotNull();
        return line;
    }

    /** The next line it writes that has this in it. */
    String lineWith(String text) throws InterruptedException {
        String line = line();
        while (!line.contains(text)) {
            line = line();
        }
        return line;
    }

    /** Waits until it has written this to its standard error. */
    void awaitError(String text) {
        await().atMost(Duration.ofSeconds(PATIENCE_SECONDS))
                .until(() -> err.stream().anyMatch(line -> line.contains(text)));
    }

    /** Waits for its end. */
    int exitCode() throws InterruptedException {
        assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS))
                .as("has ended; standard error is %s", err)
                .isTrue();
        return process.exitValue();
    }

    /** What is left of its standard output, after its end. */
    List<String> output() throws InterruptedException {
        exitCode();
        outReader.join();
        return List.copyOf(out);
    }

    /** Its standard error, after its end. */
    List<String> errors() throws InterruptedException {
        exitCode();
        errReader.join();
        return err;
    }

    private static Thread read(BufferedReader reader, Consumer<String> lines) {
        Thread thread = new Thread(() -> {
            try (reader) {
                reader.lines().forEach(lines);
            } catch (IOException | UncheckedIOException gone) {
                // the process was killed
            }
        });
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
