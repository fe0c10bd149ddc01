package io.wellkeeper.testservers;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/**
 * One Redis master, two replicas, and three sentinels that watch them under the name {@value #MASTER}. The sentinels
 * replace a master that does not answer for {@link #PATIENCE}. Not thread-safe.
 */
public final class RedisSentinels implements AutoCloseable {

    /** The name of the master at the sentinels. */
    public static final String MASTER = "wellkeeper";

    /** After how long a silence a master is replaced, unless {@link #patience} changes it. */
    public static final Duration PATIENCE = Duration.ofSeconds(1);

    private static final Duration READY_TIMEOUT = Duration.ofSeconds(60);
    private static final long POLL_NANOS = 20_000_000;

    private final List<RedisProcess> servers = new ArrayList<>();
    private final List<RedisProcess> sentinels = new ArrayList<>();

    private RedisSentinels() {}

    /**
     * Starts all servers and waits until the sentinels know each other and the replicas.
     *
     * @param options of the master and the replicas, as in {@link RedisProcess#start}
     */
    public static RedisSentinels start(String... options) {
        RedisSentinels group = new RedisSentinels();
        try {
            RedisProcess master = RedisProcess.start(options);
            group.servers.add(master);
            for (int i = 0; i < 2; i++) {
                List<String> all = new ArrayList<>(List.of(options));
                all.addAll(List.of("--replicaof", "127.0.0.1", Integer.toString(master.port())));
                group.servers.add(RedisProcess.start(all.toArray(String[]::new)));
            }
            for (int i = 0; i < 3; i++) {
                group.sentinels.add(sentinel(master));
            }
            await("sentinels that know everybody", group::complete);
            return group;
        } catch (RuntimeException failed) {
            group.close();
            throw failed;
        }
    }

    private static RedisProcess sentinel(RedisProcess master) {
        RedisProcess sentinel = RedisProcess.prepare(ZooKeeperProcess.freePort(), "--sentinel");
        sentinel.write("sentinel.conf", """
                sentinel monitor %1$s 127.0.0.1 %2$d 2
                sentinel down-after-milliseconds %1$s %3$d
                sentinel failover-timeout %1$s 5000
                """.formatted(MASTER, master.port(), PATIENCE.toMillis()));
        sentinel.launch();
        sentinel.awaitServing();
        return sentinel;
    }

    private boolean complete() {
        return sentinels.stream()
                .map(sentinel -> String.valueOf(sentinel.call("INFO", "sentinel")))
                .allMatch(info -> info.contains("slaves=2,sentinels=3"));
    }

    static void await(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + READY_TIMEOUT.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("there are no " + what + " after " + READY_TIMEOUT);
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    /** Where the sentinels are: {@code 127.0.0.1:port,127.0.0.1:port,127.0.0.1:port}. */
    public String addresses() {
        return sentinels.stream().map(RedisProcess::address).collect(Collectors.joining(","));
    }

    /** The server that is the master at present, as the sentinels say. */
    public RedisProcess master() {
        List<?> address = (List<?>) sentinels.get(0).call("SENTINEL", "get-master-addr-by-name", MASTER);
        int port = Integer.parseInt(String.valueOf(address == null ? "-1" : address.get(1)));
        return servers.stream()
                .filter(server -> server.port() == port)
                .findFirst()
                .orElseThrow();
    }

    /** Sets after how long a silence a master is replaced from now on. */
    public void patience(Duration silence) {
        String millis = Long.toString(silence.toMillis());
        sentinels.forEach(sentinel -> sentinel.call("SENTINEL", "SET", MASTER, "down-after-milliseconds", millis));
    }

    /** Waits until the master, which has just been started again, has answered each of the sentinels. */
    public void awaitAnswers() {
        long start = System.nanoTime();
        await("answers of the master to all sentinels", () -> {
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
            return sentinels.stream().allMatch(sentinel -> millisSinceAnswer(sentinel) < millis);
        });
    }

    private static long millisSinceAnswer(RedisProcess sentinel) {
        return sentinel.call("SENTINEL", "MASTER", MASTER) instanceof List<?> fields
                ? Long.parseLong(String.valueOf(fields.get(fields.indexOf("last-ok-ping-reply") + 1)))
                : Long.MAX_VALUE;
    }

    /** The first master and its replicas, whichever of them is the master now. */
    public List<RedisProcess> servers() {
        return List.copyOf(servers);
    }

    /** The sentinels. */
    public List<RedisProcess> sentinels() {
        return List.copyOf(sentinels);
    }

    @Override
    public void close() {
        sentinels.forEach(RedisProcess::close);
        servers.forEach(RedisProcess::close);
    }
}
