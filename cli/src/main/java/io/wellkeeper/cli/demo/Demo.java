package io.wellkeeper.cli.demo;

import io.wellkeeper.LockClient;
import io.wellkeeper.cli.ExitCode;
import io.wellkeeper.cli.Failure;
import io.wellkeeper.testservers.MariaDbProcess;
import io.wellkeeper.testservers.PostgresProcess;
import io.wellkeeper.testservers.RedisProcess;
import io.wellkeeper.testservers.ZooKeeperProcess;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** The demonstration: four shops, each a process of its own, one stock, and a lock. */
public final class Demo {

    /** Short, so that the lock of a dead process is soon free. */
    public static final Duration SESSION_TIMEOUT = Duration.ofSeconds(3);

    private static final int SHOPS = 4;
    private static final List<Act> ACTS = List.of(
            new RushAct(false),
            new RushAct(true),
            new KilledHolderAct(),
            new PausedHolderAct(false),
            new PausedHolderAct(true));

    private final Progress progress;

    /**
     * @param out the writer for the reports
     * @param inPlace whether {@code out} is a terminal
     */
    public Demo(PrintWriter out, boolean inPlace) {
        this.progress = new Progress(out, inPlace);
    }

    /**
     * Plays all acts, and leaves nothing behind.
     *
     * @param store the user's store; or one that is started for this: {@code redis:embedded},
     *     {@code postgres:embedded}, {@code mariadb:embedded}, {@code sqlite} (a file), or ZooKeeper if this is empty
     * @param connector connects to a store
     * @return the results of the acts, in order; empty if a signal ended the demonstration
     */
    public Optional<List<Act.Result>> play(Optional<String> store, Function<String, LockClient> connector)
            throws SQLException, InterruptedException {
        try (Closer closer = new Closer()) {
            try {
                return Optional.of(play(closer, store, connector));
            } catch (RuntimeException | SQLException failed) {
                if (closer.isClosed()) {
                    return Optional.empty();
                }
                throw failed;
            }
        }
    }

    private List<Act.Result> play(Closer closer, Optional<String> store, Function<String, LockClient> connector)
            throws SQLException, InterruptedException {
        Path folder = Folder.make(closer);
        Where where = where(closer, store.orElse("zookeeper:embedded"), folder);
        String uri = where.uri();
        LockClient client = closer.register(connector.apply(uri));
        Warehouse warehouse = closer.register(Warehouse.open());
        String lock = "wellkeeper-demo/" + UUID.randomUUID();
        progress.show("starting " + SHOPS + " shops");
        List<String> secrets = List.of(uri, SESSION_TIMEOUT.toString(), lock, warehouse.url(), warehouse.password());
        List<ShopProcess> shops = IntStream.rangeClosed(1, SHOPS)
                .mapToObj(number -> closer.register(ShopProcess.start("shop-" + number, folder, secrets)))
                .toList();
        for (ShopProcess shop : shops) {
            shop.answer();
        }
        progress.say(SHOPS + " shops, each a process of its own, one database, one lock" + where.remark());
        Stage stage = new Stage(shops, warehouse, client, lock, progress);
        List<Act.Result> results = new ArrayList<>();
        for (Act act : ACTS) {
            progress.say(System.lineSeparator() + (results.size() + 1) + ". " + act.title());
            results.add(act.play(stage));
        }
        return results;
    }

    /** A store, and a remark about it for the user. */
    private record Where(String uri, String remark) {}

    private Where where(Closer closer, String store, Path folder) {
        return switch (store) {
            case "zookeeper:embedded" ->
                started(
                        "ZooKeeper",
                        () -> "zookeeper://"
                                + closer.register(ZooKeeperProcess.start()).address());
            case "redis:embedded" ->
                started(
                        "Redis",
                        () -> "redis://" + closer.register(RedisProcess.start()).address() + "?restartGuard=off");
            case "postgres:embedded" ->
                started(
                        "PostgreSQL",
                        () -> closer.register(PostgresProcess.start()).jdbcUrl());
            case "mariadb:embedded" ->
                started("MariaDB", () -> closer.register(MariaDbProcess.start()).jdbcUrl());
            case "sqlite" -> new Where("jdbc:sqlite:" + folder.resolve("locks.db"), " in an SQLite file made for this");
            default -> new Where(store, "");
        };
    }

    private Where started(String kind, Supplier<String> start) {
        progress.show("starting a " + kind + " server");
        try {
            return new Where(start.get(), " on a " + kind + " server started for this");
        } catch (IllegalStateException failed) {
            throw new Failure(ExitCode.STORE_UNAVAILABLE, "cannot start a " + kind + " server: " + failed.getMessage());
        }
    }
}
