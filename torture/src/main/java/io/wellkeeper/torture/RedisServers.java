package io.wellkeeper.torture;

import io.wellkeeper.testservers.RedisCluster;
import io.wellkeeper.testservers.RedisProcess;
import io.wellkeeper.testservers.RedisSentinels;
import io.wellkeeper.testservers.ServerDeath;
import io.wellkeeper.testservers.TcpProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Redis: one server, a master with replicas and sentinels, a Cluster, or servers that do not know of each other. */
final class RedisServers implements Servers {

    /** With these options a killed server still has, after its restart, all the changes that it had acknowledged. */
    private static final String[] LOGGED = {"--appendonly", "yes", "--appendfsync", "no"};

    /**
     * With these options a server writes a snapshot only on command. Because a snapshot is also scheduled, some day,
     * the server refuses changes after a snapshot has failed.
     */
    private static final String[] SNAPSHOTS = {"--save", "86400 1000000000"};

    private static final String QUEUES = "wellkeeper:{*}:queue:*";
    private static final String QUEUE = "wellkeeper:{0}:queue:";
    private static final String DATA = "wellkeeper:{0}:data:";
    private static final String SESSIONS = "wellkeeper:{0}:sessions";
    private static final String NAMES = "wellkeeper:{0}:names";
    private static final String SESSIONS_OF_ALL = "wellkeeper:{*}:sessions";

    /**
     * Moves all times in the data, as if the clock of the server had been set the other way. The clock itself cannot be
     * set: it is the machine's, and no library can be loaded into the program. KEYS: sessions, sequences and names.
     * ARGV: by how many milliseconds the times are moved, and by how many microseconds the last number.
     */
    private static final String MOVE_TIMES = """
            for _, key in ipairs({ KEYS[1], KEYS[3] }) do
              for _, member in ipairs(redis.call('ZRANGE', key, 0, -1)) do
                redis.call('ZINCRBY', key, ARGV[1], member)
              end
            end
            for _, field in ipairs({ 'beat', 'guard' }) do
              if redis.call('HEXISTS', KEYS[2], field) == 1 then
                redis.call('HINCRBY', KEYS[2], field, ARGV[1])
              end
            end
            if redis.call('HEXISTS', KEYS[2], 'last') == 1 then
              redis.call('HINCRBY', KEYS[2], 'last', ARGV[2])
            end
            local last = redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')[2]
            if last then
              redis.call('PEXPIREAT', KEYS[1], last)
            end
            """;

    /**
     * Makes keys expire earlier. KEYS: the keys of a lock, and the names. ARGV: by how many milliseconds, and the
     * lock's name.
     */
    private static final String AGE = """
            for _, key in ipairs({ KEYS[1], KEYS[2] }) do
              local left = redis.call('PTTL', key)
              if left > 0 then
                redis.call('PEXPIRE', key, left - ARGV[1])
              end
            end
            if redis.call('ZSCORE', KEYS[3], ARGV[2]) then
              redis.call('ZINCRBY', KEYS[3], -ARGV[1], ARGV[2])
            end
            """;

    private static final Pattern CLIENT_ID = Pattern.compile("^id=(\\d+) ");
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Duration SENTINELS_PATIENCE = Duration.ofSeconds(2); // the machine may be busy
    private static final long POLL_NANOS = 20_000_000;
    private static final int YOUNG = 8; // this part of a session is shorter than the time between two heartbeats

    /**
     * The properties of an arrangement of servers.
     *
     * @param uri of the store
     * @param reached all servers that clients connect to
     * @param masters the servers that keep the locks now
     * @param faults the faults that the servers can have
     * @param forgetful those of the faults by which the store may forget acknowledged changes
     * @param replaced waits until another server has replaced a former master
     * @param ready waits until all servers are in order again
     * @param end stops all servers
     */
    private record Kind(
            String uri,
            List<RedisProcess> reached,
            Supplier<List<RedisProcess>> masters,
            Set<FaultKind> faults,
            Set<FaultKind> forgetful,
            Consumer<RedisProcess> replaced,
            Runnable ready,
            Runnable end) {}

    private final Kind kind;
    private final Duration sessionTimeout;
    private final Random random = new Random(1);

    private RedisServers(Kind kind, Duration sessionTimeout) {
        this.kind = kind;
        this.sessionTimeout = sessionTimeout;
    }

    /** One server that has all its data after a restart. */
    static Servers logged(Duration sessionTimeout) {
        Set<FaultKind> faults = EnumSet.of(
                FaultKind.RESTART,
                FaultKind.OUTAGE,
                FaultKind.BROKEN_LOCK,
                FaultKind.STALL,
                FaultKind.HANG,
                FaultKind.DATA_LOSS,
                FaultKind.FLUSH,
                FaultKind.FULL,
                FaultKind.DISK_FULL,
                FaultKind.CLOCK_FORWARD,
                FaultKind.CLOCK_BACK,
                FaultKind.LONG_CONTENTION,
                FaultKind.END_SESSION,
                FaultKind.KILL_CONNECTIONS);
        return single(RedisProcess.start(LOGGED), faults, sessionTimeout);
    }

    /** One server that has, after a restart, the data of the last commanded snapshot. */
    static Servers snapshots(Duration sessionTimeout) {
        return single(
                RedisProcess.start(SNAPSHOTS),
                EnumSet.of(FaultKind.OLD_SNAPSHOT, FaultKind.YOUNG_SNAPSHOT, FaultKind.DISK_FULL),
                sessionTimeout);
    }

    private static Servers single(RedisProcess server, Set<FaultKind> faults, Duration sessionTimeout) {
        return new RedisServers(
                new Kind(
                        "redis://" + server.address(),
                        List.of(server),
                        () -> List.of(server),
                        faults,
                        EnumSet.of(FaultKind.END_SESSION, FaultKind.CLOCK_FORWARD, FaultKind.YOUNG_SNAPSHOT),
                        former -> {},
                        server::awaitServing,
                        server::close),
                sessionTimeout);
    }

    static Servers sentinel(Duration sessionTimeout) {
        RedisSentinels group = RedisSentinels.start();
        group.patience(SENTINELS_PATIENCE);
        List<RedisProcess> reached = Stream.of(group.sentinels(), group.servers())
                .flatMap(Collection::stream)
                .toList();
        Set<FaultKind> changes = EnumSet.of(FaultKind.KILL_LEADER, FaultKind.PAUSE_LEADER, FaultKind.FAILOVER);
        Set<FaultKind> forgetful = EnumSet.of(FaultKind.CLOCK_FORWARD);
        forgetful.addAll(changes);
        Set<FaultKind> faults = EnumSet.of(FaultKind.STALL, FaultKind.CLOCK_FORWARD, FaultKind.CLOCK_BACK);
        faults.addAll(changes);
        return new RedisServers(
                new Kind(
                        "redis-sentinel://" + group.addresses() + "/" + RedisSentinels.MASTER + "?replicas=1",
                        reached,
                        () -> List.of(group.master()),
                        faults,
                        forgetful,
                        former -> await("other master", () -> group.master() != former),
                        () -> {
                            reached.forEach(RedisProcess::awaitServing);
                            await("a master with a replica", () -> hasReplica(group.master()));
                        },
                        group::close),
                sessionTimeout);
    }

    private static boolean hasReplica(RedisProcess server) {
        Map<String, String> info = server.info("replication");
        return "master".equals(info.get("role")) && !"0".equals(info.get("connected_slaves"));
    }

    static Servers cluster(Duration sessionTimeout) {
        RedisCluster cluster = RedisCluster.start(LOGGED);
        return new RedisServers(
                new Kind(
                        "redis-cluster://" + cluster.addresses(),
                        cluster.masters(),
                        cluster::masters,
                        EnumSet.of(
                                FaultKind.RESTART,
                                FaultKind.STALL,
                                FaultKind.KILL_LEADER,
                                FaultKind.PAUSE_LEADER,
                                FaultKind.MOVE_SLOT,
                                FaultKind.DISK_FULL,
                                FaultKind.CLOCK_FORWARD,
                                FaultKind.CLOCK_BACK,
                                FaultKind.DATA_LOSS),
                        EnumSet.of(FaultKind.CLOCK_FORWARD),
                        former -> {},
                        () -> {
                            cluster.masters().forEach(RedisProcess::awaitServing);
                            cluster.awaitServing();
                        },
                        cluster::close),
                sessionTimeout);
    }

    /** Five servers, each with data of its own. */
    static Servers independent(Duration sessionTimeout) {
        List<RedisProcess> servers =
                Stream.generate(() -> RedisProcess.start(LOGGED)).limit(5).toList();
        return new RedisServers(
                new Kind(
                        "redis://" + servers.stream().map(RedisProcess::address).collect(Collectors.joining(","))
                                + "?restartDelay=0s", // each server has its data after a restart
                        servers,
                        () -> servers,
                        EnumSet.of(
                                FaultKind.RESTART,
                                FaultKind.STALL,
                                FaultKind.HANG,
                                FaultKind.KILL_LEADER,
                                FaultKind.PAUSE_LEADER,
                                FaultKind.KILL_CONNECTIONS),
                        EnumSet.noneOf(FaultKind.class),
                        former -> {},
                        () -> servers.forEach(RedisProcess::awaitServing),
                        () -> servers.forEach(RedisProcess::close)),
                sessionTimeout);
    }

    private static void await(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("there is no " + what + " after " + PATIENCE);
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    @Override
    public String uri() {
        return kind.uri();
    }

    @Override
    public Way way() {
        Map<Integer, TcpProxy> proxies = new LinkedHashMap<>();
        kind.reached().forEach(server -> proxies.put(server.port(), TcpProxy.resp(server.port())));
        return new Way(kind.uri(), proxies, true, Optional.empty());
    }

    @Override
    public Set<FaultKind> faults() {
        return possible(kind.faults());
    }

    @Override
    public boolean forgets(FaultKind fault) {
        return kind.forgetful().contains(fault);
    }

    @Override
    public boolean refuses(FaultKind fault) {
        boolean isFull = fault == FaultKind.FULL || fault == FaultKind.DISK_FULL;
        return isFull && kind.masters().get().size() == 1; // if there are several masters, only one is full
    }

    @Override
    public boolean hasClock() {
        return kind.faults().contains(FaultKind.CLOCK_BACK);
    }

    /**
     * Numbers are made of the time. After a step back they are ahead of the clock for a session only: if all data are
     * lost they begin again with the clock. After a step forward they stay as they are, because a client that has seen
     * a number must not see a smaller one.
     */
    @Override
    public void moveClock(Duration step) {
        Duration ahead = step.isNegative() ? sessionTimeout : Duration.ZERO;
        for (RedisProcess master : kind.masters().get()) {
            if (master.call("KEYS", SESSIONS_OF_ALL) instanceof List<?> found) {
                for (Object sessions : found) {
                    String part = String.valueOf(sessions).replaceFirst("sessions$", "");
                    master.call(
                            "EVAL",
                            MOVE_TIMES,
                            "3",
                            part + "sessions",
                            part + "sequences",
                            part + "names",
                            Long.toString(-step.toMillis()),
                            Long.toString(TimeUnit.NANOSECONDS.toMicros(ahead.toNanos())));
                }
            }
        }
    }

    @Override
    public void age(String lock, Duration time) {
        for (RedisProcess master : kind.masters().get()) {
            master.call("EVAL", AGE, "3", QUEUE + lock, DATA + lock, NAMES, Long.toString(time.toMillis()), lock);
        }
    }

    @Override
    public Duration prepare(FaultKind fault) {
        if (fault != FaultKind.OLD_SNAPSHOT && fault != FaultKind.YOUNG_SNAPSHOT) {
            return Duration.ZERO;
        }
        kind.masters().get().forEach(master -> master.call("SAVE"));
        return fault == FaultKind.OLD_SNAPSHOT
                ? sessionTimeout.multipliedBy(5).dividedBy(4)
                : sessionTimeout.dividedBy(YOUNG);
    }

    @Override
    public Runnable strike(FaultKind fault) {
        List<RedisProcess> masters = kind.masters().get();
        RedisProcess one = masters.get(random.nextInt(masters.size()));
        switch (fault) {
            case RESTART, OLD_SNAPSHOT, YOUNG_SNAPSHOT -> {
                masters.forEach(RedisProcess::kill);
                masters.forEach(RedisProcess::launch);
            }
            case OUTAGE -> {
                masters.forEach(RedisProcess::kill);
                return () -> {
                    masters.forEach(RedisProcess::launch);
                    kind.ready().run();
                };
            }
            case DATA_LOSS -> masters.forEach(RedisProcess::restartWithoutData);
            case FLUSH -> masters.forEach(master -> master.call("FLUSHALL"));
            case KILL_CONNECTIONS ->
                masters.forEach(master -> {
                    master.call("CLIENT", "KILL", "TYPE", "normal");
                    master.call("CLIENT", "KILL", "TYPE", "pubsub"); // sessions also have connections that listen
                });
            case END_SESSION -> endSession(one);
            case FAILOVER -> failOver(one);
            case MOVE_SLOT -> moveSlot(masters);
            case FULL -> {
                masters.forEach(master -> master.call("CONFIG", "SET", "maxmemory", "1"));
                return () -> {
                    masters.forEach(master -> master.call("CONFIG", "SET", "maxmemory", "0"));
                    kind.ready().run();
                };
            }
            case DISK_FULL -> {
                boolean keepsSnapshots = kind.faults().contains(FaultKind.OLD_SNAPSHOT);
                one.fillDisk();
                if (keepsSnapshots) {
                    snapshot(one);
                }
                return () -> {
                    one.freeDisk();
                    if (keepsSnapshots) {
                        snapshot(one); // until a snapshot succeeds, the server does not even answer PING
                    }
                    kind.ready().run();
                };
            }
            case STALL, HANG -> {
                kind.reached().forEach(RedisProcess::pause);
                return () -> {
                    kind.reached().forEach(RedisProcess::resume);
                    kind.ready().run();
                };
            }
            case PAUSE_LEADER -> {
                one.pause();
                return () -> {
                    kind.replaced().accept(one);
                    one.resume();
                    kind.ready().run();
                };
            }
            case KILL_LEADER -> {
                one.kill();
                return () -> {
                    kind.replaced().accept(one);
                    one.launch();
                    kind.ready().run();
                };
            }
            default -> throw new IllegalArgumentException(fault + " is nothing that befalls Redis");
        }
        return kind.ready();
    }

    /**
     * Tries to write a snapshot. If that fails, a server that keeps snapshots refuses changes until a snapshot
     * succeeds.
     */
    private static void snapshot(RedisProcess server) {
        server.call("BGSAVE");
        await("end of a snapshot", () -> "0".equals(server.info("persistence").get("rdb_bgsave_in_progress")));
    }

    private void failOver(RedisProcess master) {
        RedisProcess sentinel = kind.reached().get(0);
        await("replica that takes over", () -> {
            try {
                sentinel.call("SENTINEL", "FAILOVER", RedisSentinels.MASTER);
                return true;
            } catch (IllegalStateException busy) { // it still writes the last snapshot
                return false;
            }
        });
        kind.replaced().accept(master);
        breakEverySecondConnection(master);
    }

    /**
     * Breaks connections so that some clients turn to the new master at once, while the others go on with the former
     * one. The sentinels tell the former master ten seconds later than all others that it is not the master any more.
     */
    private static void breakEverySecondConnection(RedisProcess server) {
        boolean isNext = false;
        for (String client :
                String.valueOf(server.call("CLIENT", "LIST", "TYPE", "pubsub")).split("\n")) {
            Matcher id = CLIENT_ID.matcher(client);
            if (id.find() && !client.contains(" name=sentinel-")) {
                isNext = !isNext;
                if (isNext) {
                    server.call("CLIENT", "KILL", "ID", id.group(1));
                }
            }
        }
    }

    /** Moves the slot of some locks that are in use to another master. */
    private void moveSlot(List<RedisProcess> masters) {
        int first = random.nextInt(masters.size());
        for (int i = 0; i < masters.size(); i++) {
            RedisProcess from = masters.get((first + i) % masters.size());
            RedisProcess to = masters.get((first + i + 1) % masters.size());
            if (from.call("KEYS", QUEUES) instanceof List<?> keys && !keys.isEmpty()) {
                Object slot = from.call("CLUSTER", "KEYSLOT", String.valueOf(keys.get(random.nextInt(keys.size()))));
                RedisCluster.move(Integer.parseInt(String.valueOf(slot)), from, to);
                return;
            }
        }
    }

    /** Ends some session, as if it had not been renewed. */
    private void endSession(RedisProcess server) {
        if (server.call("ZRANGE", SESSIONS, "0", "-1") instanceof List<?> sessions && !sessions.isEmpty()) {
            String session = (String) sessions.get(random.nextInt(sessions.size()));
            server.call("ZADD", SESSIONS, "XX", "1", session);
        }
    }

    @Override
    public Optional<Protocol> protocol() {
        return Optional.of(new RedisProtocol());
    }

    @Override
    public Optional<ServerDeath> death() {
        return kind.reached().stream()
                .map(RedisProcess::death)
                .flatMap(Optional::stream)
                .findFirst();
    }

    @Override
    public List<String> leftovers() {
        List<String> found = new ArrayList<>();
        for (RedisProcess master : kind.masters().get()) {
            for (List<String> command :
                    List.of(List.of("KEYS", QUEUES), List.of("PUBSUB", "CHANNELS", "wellkeeper:*"))) {
                if (master.call(command.toArray(String[]::new)) instanceof List<?> names) {
                    names.forEach(name -> found.add(String.valueOf(name)));
                }
            }
        }
        return found;
    }

    @Override
    public void close() {
        kind.end().run();
    }
}
