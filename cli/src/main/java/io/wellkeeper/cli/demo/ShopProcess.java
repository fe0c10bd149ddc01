package io.wellkeeper.cli.demo;

import io.wellkeeper.cli.ExitCode;
import io.wellkeeper.cli.Failure;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** The process of a {@link Shop}: it gets orders, and can be killed and paused. */
final class ShopProcess implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String END = "\0";

    private final String name;
    private static final int NATIVE_ACCESS_IS_RESTRICTED = 24; // the version of Java that began to warn

    private final Process process;
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

    private ShopProcess(String name, Process process) {
        this.name = name;
        this.process = process;
        Thread reader = new Thread(this::read, name);
        reader.setDaemon(true);
        reader.start();
    }

    /**
     * Starts a shop, which answers once it is open. It gets secrets by its standard input, because other users of this
     * machine can see its arguments.
     *
     * @param folder for its temporary files
     * @param secrets the first lines that {@link Shop#main} reads
     */
    static ShopProcess start(String name, Path folder, List<String> secrets) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-Xmx64m"));
        if (Runtime.version().feature() >= NATIVE_ACCESS_IS_RESTRICTED) {
            command.add("--enable-native-access=ALL-UNNAMED"); // for the library of SQLite
        }
        command.add("-Djava.io.tmpdir=" + folder);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Shop.class.getName()));
        command.add(name);
        try {
            Process process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            ShopProcess shop = new ShopProcess(name, process);
            secrets.forEach(shop::tell);
            return shop;
        } catch (IOException failed) {
            throw new UncheckedIOException("cannot start " + name, failed);
        }
    }

    String name() {
        return name;
    }

    /** Sends an order to the shop. If the shop is paused, the order waits for it. */
    void order(Shop.Order order) {
        tell(order.name());
    }

    private void tell(String line) {
        try {
            process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        } catch (IOException gone) {
            throw unexpectedEnd();
        }
    }

    /** The next answer of the shop. */
    String answer() throws InterruptedException {
        return answerWithin(PATIENCE)
                .orElseThrow(() -> new Failure(
                        ExitCode.EXPECTATION_FAILED, name + " did not answer within " + PATIENCE.toSeconds() + "s"));
    }

    /** The next answer of the shop, if it comes in time. */
    Optional<String> answerWithin(Duration time) throws InterruptedException {
        String line = answers.poll(time.toNanos(), TimeUnit.NANOSECONDS);
        if (END.equals(line)) {
            throw unexpectedEnd();
        }
        return Optional.ofNullable(line);
    }

    /** Sends an order, and waits for its answer. */
    String ask(Shop.Order order) throws InterruptedException {
        order(order);
        return answer();
    }

    long askNumber(Shop.Order order) throws InterruptedException {
        return Long.parseLong(ask(order));
    }

    /** Kills the process by {@code kill -9}. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Stops the process, as a long garbage collection or a sleeping virtual machine does. */
    void pause() throws InterruptedException {
        signal("STOP");
    }

    void resume() throws InterruptedException {
        signal("CONT");
    }

    private void signal(String signal) throws InterruptedException {
        try {
            int code = new ProcessBuilder("sh", "-c", "kill -" + signal + " " + process.pid())
                    .inheritIO()
                    .start()
                    .waitFor();
            if (code != 0) {
                throw new Failure(ExitCode.EXPECTATION_FAILED, "cannot send SIG" + signal + " to " + name);
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private Failure unexpectedEnd() {
        return new Failure(ExitCode.EXPECTATION_FAILED, name + " ended unexpectedly");
    }

    private void read() {
        try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
            reader.lines().forEach(answers::add);
        } catch (IOException | UncheckedIOException gone) {
            // the end of the output is reported below
        }
        answers.add(END);
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
