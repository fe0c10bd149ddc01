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
import java.util.concurrent.locks.LockSupport;

/**
 * PgBouncer in front of a PostgreSQL server on this machine, on a free port of the loopback interface. PgBouncer must
 * be installed. It ends with this JVM, however the JVM ends. It refuses to run as root, so root starts it as the user
 * {@code nobody}, by {@code setpriv}.
 */
public final class PgBouncerProcess implements AutoCloseable {

    private static final Path PROGRAM = Path.of("/usr/sbin/pgbouncer");
    private static final Duration START_TIMEOUT = Duration.ofSeconds(60);
    private static final long POLL_NANOS = 5_000_000;

    private final Path directory;
    private final int port;
    private final KeptProcess process;

    private PgBouncerProcess(Path directory, int port, KeptProcess process) {
        this.directory = directory;
        this.port = port;
        this.process = process;
    }

    /** Whether PgBouncer is installed, for example by Debian's package {@code pgbouncer}. */
    public static boolean isPossible() {
        return Files.isExecutable(PROGRAM);
    }

    /**
     * Starts it and waits until it serves.
     *
     * @param server the port of the server, whose users need no password
     * @param mode for how long a client keeps a connection to the server: {@code session}, {@code transaction} or
     *     {@code statement}
     */
    public static PgBouncerProcess start(int server, String mode) {
        int port = ZooKeeperProcess.freePort();
        try {
            Path directory = Files.createTempDirectory("wellkeeper-pgbouncer-");
            Path settings = Files.writeString(directory.resolve("settings"), """
                    [databases]
                    postgres = host=127.0.0.1 port=%d user=postgres
                    [pgbouncer]
                    listen_addr = 127.0.0.1
                    listen_port = %d
                    unix_socket_dir =
                    auth_type = any
                    pool_mode = %s
                    """.formatted(server, port, mode));
            Nobody.give(directory);
            List<String> command = new ArrayList<>(Nobody.prefix());
            command.addAll(List.of(PROGRAM.toString(), settings.toString()));
            PgBouncerProcess bouncer =
                    new PgBouncerProcess(directory, port, KeptProcess.start(directory, Map.of(), command));
            bouncer.awaitServing();
            return bouncer;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private void awaitServing() {
        long deadline = System.nanoTime() + START_TIMEOUT.toNanos();
        while (!serves()) {
            if (!process.isAlive() || System.nanoTime() > deadline) {
                String said = process.output();
                close();
                throw new IllegalStateException("PgBouncer does not serve:\n" + said);
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    private boolean serves() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException notYet) {
            return false;
        }
    }

    /** Where clients connect. */
    public int port() {
        return port;
    }

    /** Kills PgBouncer. */
    @Override
    public void close() {
        process.kill();
        KeptProcess.delete(directory);
    }
}
