package io.wellkeeper.testservers;

import io.wellkeeper.storekit.JavaProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One ZooKeeper server in a JVM of its own, on a free port of the loopback interface, with its data in a temporary
 * directory that is deleted on close. ZooKeeper must be on the class path. Not thread-safe.
 */
public final class ZooKeeperProcess implements AutoCloseable {

    private static final Duration START_TIMEOUT = Duration.ofSeconds(60);
    private static final long POLL_NANOS = 20_000_000;
    private static final int ATTEMPTS = 5;

    private final int id;
    private ZooKeeperOptions options;
    private final Path directory;
    private final int port;
    private final List<String> members;
    private @Nullable JavaProcess process;

    ZooKeeperProcess(int id, ZooKeeperOptions options, int port, List<String> members) {
        this.id = id;
        this.options = options;
        this.port = port;
        this.members = List.copyOf(members);
        try {
            this.directory = Files.createTempDirectory("wellkeeper-zookeeper-");
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** Starts one server with the default options and waits until it serves. */
    public static ZooKeeperProcess start() {
        return start(ZooKeeperOptions.defaults());
    }

    /**
     * Starts one server and waits until it serves.
     *
     * @param options its options
     * @return the server
     */
    public static ZooKeeperProcess start(ZooKeeperOptions options) {
        for (int attempt = 1; ; attempt++) {
            ZooKeeperProcess server = new ZooKeeperProcess(1, options, freePort(), List.of());
            try {
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

    /**
     * A port that was free a moment ago. Another program may take it, so the start of a server on it may have to be
     * repeated.
     */
    public static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
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

    /** The number of the server in the ensemble, from 1. */
    public int id() {
        return id;
    }

    /** The JVM of the server. */
    public JavaProcess process() {
        JavaProcess running = process;
        if (running == null) {
            throw new IllegalStateException("server " + id + " was not started");
        }
        return running;
    }

    /** Stops the server until {@link #resume()}. */
    public void pause() {
        process().pause();
    }

    /** Lets it run again. */
    public void resume() {
        process().resume();
    }

    /**
     * Keeps the server from writing to its disk until {@link #freeDisk()}; it cannot even overwrite files. It ends as
     * soon as it has to log a transaction.
     */
    public void fillDisk() {
        DiskSpace.take(List.of(), process().pid());
    }

    /** Starts the server again, which has ended or is about to end, so that it can write; waits until it serves. */
    public void freeDisk() {
        restart();
    }

    /** Ends the server as {@code kill -9} does; its data stays. */
    public void kill() {
        process().kill();
    }

    /** Kills the server if it runs, starts it again on the same port and data, and waits until it serves. */
    public void restart() {
        kill();
        launch();
        awaitServing();
    }

    /** As {@link #restart()}, but without the data, as if the disk had been lost with the server. */
    public void restartWithoutData() {
        kill();
        delete(directory.resolve("version-2"));
        launch();
        awaitServing();
    }

    /**
     * As {@link #restart()}, with other options from now on.
     *
     * @param other the new options
     */
    public void restart(ZooKeeperOptions other) {
        options = other;
        restart();
    }

    /** Starts the server on its port and data, and does not wait. */
    public void launch() {
        try {
            Path file = directory.resolve("zoo.cfg");
            Files.write(file, configuration());
            Files.writeString(directory.resolve("myid"), Integer.toString(id));
            JavaProcess.Builder builder = JavaProcess.of("org.apache.zookeeper.server.quorum.QuorumPeerMain")
                    .name("zookeeper-" + id)
                    .directory(directory)
                    .options("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
                    .arguments(file.toString());
            options.properties().forEach(builder::property);
            options.environment().forEach(builder::environment);
            process = builder.start();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private List<String> configuration() {
        String common = """
                tickTime=%d
                initLimit=20
                syncLimit=%d
                dataDir=%s
                clientPort=%d
                clientPortAddress=127.0.0.1
                maxClientCnxns=0
                admin.enableServer=false
                4lw.commands.whitelist=*
                """.formatted(options.tickMillis(), options.syncLimit(), directory, port);
        return Stream.of(common.lines(), members.stream(), options.lines().stream())
                .flatMap(lines -> lines)
                .toList();
    }

    /**
     * Waits until it serves clients.
     *
     * @throws IllegalStateException if it ended, or does not serve within a minute; the message has its output
     */
    public void awaitServing() {
        long deadline = System.nanoTime() + START_TIMEOUT.toNanos();
        while (!mode().isPresent()) {
            if (!process().isAlive() || System.nanoTime() > deadline) {
                throw new IllegalStateException("server " + id + " does not serve:\n"
                        + String.join("\n", process().output()));
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    /**
     * The present mode: {@code standalone}, {@code leader} or {@code follower}; empty while the server does not serve.
     */
    public Optional<String> mode() {
        try {
            return FourLetterWord.send(port, "srvr")
                    .lines()
                    .filter(line -> line.startsWith("Mode: "))
                    .map(line -> line.substring("Mode: ".length()))
                    .findFirst();
        } catch (IOException silent) {
            return Optional.empty();
        }
    }

    /**
     * Sends a four-letter word such as {@code wchp}.
     *
     * @param word the word
     * @return the answer
     */
    public String ask(String word) {
        try {
            return FourLetterWord.send(port, word);
        } catch (IOException failed) {
            throw new UncheckedIOException("server " + id + " does not answer " + word, failed);
        }
    }

    /**
     * The server's counters, from the word {@code mntr}: such as {@code zk_packets_received} or {@code zk_watch_count}.
     */
    public Map<String, String> counters() {
        Map<String, String> result = new LinkedHashMap<>();
        ask("mntr")
                .lines()
                .map(line -> line.split("\t", 2))
                .filter(pair -> pair.length == 2)
                .forEach(pair -> {
                    result.put(pair[0], pair[1]);
                });
        return result;
    }

    /** How many watches clients have set on the server. */
    public int watchCount() {
        return Integer.parseInt(counters().getOrDefault("zk_watch_count", "-1"));
    }

    /** Kills the server and deletes its data. */
    @Override
    public void close() {
        if (process != null) {
            process.kill();
        }
        delete(directory);
    }

    private static void delete(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException failed) {
            throw new UncheckedIOException("cannot delete " + directory, failed);
        }
    }
}
