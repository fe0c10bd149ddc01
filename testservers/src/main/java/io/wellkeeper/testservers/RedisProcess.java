package io.wellkeeper.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A real Redis server on a free port of the loopback interface, with its data in a temporary directory that is deleted on
 * close. It ends with this JVM, however the JVM ends. Needs {@code org.signal:embedded-redis} on the class path, and a
 * POSIX shell. Not thread-safe.
 */
public final class RedisProcess implements AutoCloseable {

    private static final Duration START_TIMEOUT = Duration.ofSeconds(30);
    private static final long POLL_NANOS = 5_000_000;
    private static final int ATTEMPTS = 5;

    private final Path directory;
    private final int port;
    private final List<String> options;
    private @Nullable KeptProcess process;

    private RedisProcess(Path directory, int port, List<String> options) {
        this.directory = directory;
        this.port = port;
        this.options = options;
    }

    /**
     * Starts a server and waits until it serves. It persists nothing unless an option says so.
     *
     * @param options of {@code redis-server}, such as {@code --appendonly yes}, each word by itself
     * @return the server
     */
    public static RedisProcess start(String... options) {
        for (int attempt = 1; ; attempt++) {
            RedisProcess server = prepare(ZooKeeperProcess.freePort(), options);
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

    /** The version of Redis. */
    public static String version() {
        return RedisBinary.VERSION;
    }

    /** A server that is not started yet. */
    static RedisProcess prepare(int port, String... options) {
        try {
            Path directory = Files.createTempDirectory("wellkeeper-redis-");
            return new RedisProcess(directory, port, List.of(options));
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

    /** Starts the server on its port and data, and does not wait. */
    public void launch() {
        Path program = directory.resolve("redis-server");
        if (!Files.exists(program)) {
            RedisBinary.extractTo(directory);
        }
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(arguments());
        process = KeptProcess.start(directory, Map.of(), command);
    }

    private KeptProcess process() {
        KeptProcess running = process;
        if (running == null) {
            throw new IllegalStateException("redis-server is not running");
        }
        return running;
    }

    private List<String> arguments() {
        List<String> arguments = new ArrayList<>();
        if (options.contains("--sentinel")) {
            arguments.add(directory.resolve("sentinel.conf").toString());
        }
        arguments.addAll(
                List.of("--port", Integer.toString(port), "--bind", "127.0.0.1", "--dir", directory.toString()));
        if (!options.contains("--sentinel")) {
            arguments.addAll(List.of("--save", "", "--repl-diskless-sync-delay", "0"));
        }
        arguments.addAll(options);
        return arguments;
    }

    /** Writes a file into the server's directory; an option of the server may name it. */
    void write(String file, String content) {
        try {
            Files.writeString(directory.resolve(file), content);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
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
                        "redis-server does not serve:\n" + process().output());
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    private boolean serves() {
        try (RedisConnection connection = RedisConnection.to(port)) {
            // not another server that took the port first
            String own = "process_id:" + process().pid() + "\r";
            return "PONG".equals(connection.call("PING"))
                    && String.valueOf(connection.call("INFO", "server")).contains(own);
        } catch (IllegalStateException refused) {
            return String.valueOf(refused.getMessage()).contains("NOAUTH"); // it serves clients with a password
        } catch (IOException notYet) {
            return false;
        }
    }

    /** How the server has ended by itself; empty if it has not. May be called by any thread. */
    public Optional<ServerDeath> death() {
        return Optional.ofNullable(process).flatMap(running -> running.death("Redis at " + address()));
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
     * Keeps the server from writing to its disk until {@link #freeDisk()}; it cannot even overwrite files. A server
     * with a log refuses changes, and ends if it must write the log before it answers. A server with snapshots refuses
     * changes after a snapshot has failed.
     */
    public void fillDisk() {
        process().fillDisk(List.of());
    }

    /**
     * Lets the server write again. If it has ended, as it does if it must write its log before it answers, starts it
     * again. Does not wait.
     */
    public void freeDisk() {
        try {
            process().freeDisk(List.of());
        } catch (IllegalStateException failed) {
            if (process().isAlive()) {
                throw failed;
            }
            kill(); // the shell around it
            launch();
        }
    }

    /**
     * Ends the server as {@code kill -9} does, paused or not; data that it has not written to its directory is lost.
     */
    public void kill() {
        KeptProcess running = process;
        if (running != null) {
            process = null;
            running.kill();
        }
    }

    /** Kills the server if it runs, starts it again on the same port and data, and waits until it serves. */
    public void restart() {
        kill();
        launch();
        awaitServing();
    }

    /**
     * As {@link #restart()}, but without the data: the server keeps only its configuration as a sentinel or in a
     * Cluster.
     */
    public void restartWithoutData() {
        kill();
        deleteFiles(file -> file.toString().endsWith(".rdb")
                || file.toString().endsWith(".aof")
                || file.toString().endsWith(".manifest"));
        launch();
        awaitServing();
    }

    private void deleteFiles(Predicate<Path> which) {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file :
                    files.filter(which).sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException failed) {
            throw new UncheckedIOException("cannot delete in " + directory, failed);
        }
    }

    /**
     * Sends a command over a connection of its own.
     *
     * @param command its words
     * @return the answer, as {@link RedisConnection#call}
     */
    public @Nullable Object call(String... command) {
        try (RedisConnection connection = RedisConnection.to(port)) {
            return connection.call(command);
        } catch (IOException failed) {
            throw new UncheckedIOException("the server at " + address() + " does not answer " + command[0], failed);
        }
    }

    /**
     * Reads a section of {@code INFO}.
     *
     * @param section such as {@code commandstats}
     * @return the values by their names
     */
    public Map<String, String> info(String section) {
        Map<String, String> result = new LinkedHashMap<>();
        String.valueOf(call("INFO", section))
                .lines()
                .map(line -> line.split(":", 2))
                .filter(pair -> pair.length == 2)
                .forEach(pair -> {
                    result.put(pair[0], pair[1]);
                });
        return result;
    }

    /** How often clients have sent a command, such as {@code evalsha}, since the server was started. */
    public long calls(String command) {
        return Optional.ofNullable(info("commandstats").get("cmdstat_" + command))
                .map(stats -> stats.replaceFirst("calls=(\\d+),.*", "$1"))
                .map(Long::valueOf)
                .orElse(0L);
    }

    /** Kills the server and deletes its data. */
    @Override
    public void close() {
        kill();
        KeptProcess.delete(directory);
    }
}
