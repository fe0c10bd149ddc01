package io.wellkeeper.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockListener;
import io.wellkeeper.testservers.RedisProcess;
import io.wellkeeper.testservers.TcpProxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** When a server that may have forgotten sessions lets another begin. */
@Tag("full")
class RestartGuardTest {

    private static final Duration SESSION = Duration.ofSeconds(3);

    private final RedisProcess server = RedisProcess.start();
    private final List<String> warnings = new CopyOnWriteArrayList<>();
    private final Keys.Partition keys =
            new Keys("wellkeeper", Keys.SINGLE, false).partitions().get(0);

    @AfterEach
    void close() {
        server.close();
    }

    private LockClient client(String address, String parameters) {
        return client(address, parameters, SESSION, Duration.ofMinutes(1));
    }

    private LockClient client(String address, String parameters, Duration session, Duration storeTimeout) {
        return LockClient.connect(
                "redis://" + address + parameters,
                ClientOptions.builder()
                        .sessionTimeout(session)
                        .storeTimeout(storeTimeout)
                        .listener(new LockListener() {
                            @Override
                            public void storeTrouble(String store, String problem) {
                                warnings.add(problem);
                            }
                        })
                        .build());
    }

    /** How long the server has been up at least. */
    private Duration uptime() {
        return Duration.ofSeconds(Long.parseLong(server.info("server").get("uptime_in_seconds")));
    }

    @Test
    void connect_serverWasJustStarted_waitsAndSaysSoOnce() throws Exception {
        Duration session = SESSION.multipliedBy(3);
        try (LockClient client = client(server.address(), "", session, SESSION)) {
            assertThat(uptime()).isGreaterThanOrEqualTo(session);
            assertThat(warnings).singleElement().asString().contains("has lost sessions, or may have", " ms");
            client.lock("l").acquire().close();
        }
    }

    @Test
    void connect_againToAServerThatWasNotRestarted_doesNotWait() throws Exception {
        client(server.address(), "").close();
        server.call("CONFIG", "RESETSTAT");
        warnings.clear();

        client(server.address(), "").close();

        assertThat(warnings).isEmpty();
    }

    @Test
    void connect_serverHasASnapshotOlderThanTheTimeout_waitsUntilTheHolderKnows() throws Exception {
        try (TcpProxy proxy = TcpProxy.of(server.port());
                LockClient holder = client(proxy.address(), "?restartGuard=off")) {
            LockHandle held = holder.lock("l").acquire();
            long deadline = deadline(held);
            server.call("SAVE");
            await().until(() -> deadline(held) > deadline + SESSION.toMillis()); // by the server's clock
            proxy.refuse(true);
            proxy.cut();
            server.restart();
            assertThat(server.call("EXISTS", keys.sequences())).isEqualTo(1L);
            assertThat(server.call("EXISTS", keys.sessions())).isEqualTo(0L);

            try (LockClient other = client(server.address(), "")) {
                CompletableFuture<Boolean> both = new CompletableFuture<>();
                CompletableFuture<LockHandle> next = other.lock("l").acquireAsync();
                next.whenComplete((handle, failure) -> both.complete(held.isHeld()));

                assertThat(both.get(60, TimeUnit.SECONDS)).isFalse();
                next.get().close();
            }
        }
    }

    @Test
    void open_serverHasAnOlderLogThanTheAskerKnowsOf_waitsUntilTheHolderKnows() throws Exception {
        try (RedisProcess logging = RedisProcess.start("--appendonly", "yes", "--appendfsync", "no");
                TcpProxy away = TcpProxy.of(logging.port());
                TcpProxy proxy = TcpProxy.of(logging.port());
                LockClient absent = client(away.address(), "");
                LockClient holder = client(proxy.address(), "")) {
            Path data = Path.of(String.valueOf(((List<?>) logging.call("CONFIG", "GET", "dir")).get(1)));
            absent.lock("m").acquire();
            LockHandle held = holder.lock("l").acquire();
            copy(data.resolve("appendonlydir"), data.resolve("older"));
            long older = beat(logging);
            await().until(() -> beat(logging) > older + SESSION.toMillis());
            away.refuse(true);
            away.cut();
            long since = beat(logging);
            await().until(() -> beat(logging) > since + 2 * SESSION.toMillis());
            CompletableFuture<Boolean> both = new CompletableFuture<>();
            CompletableFuture<LockHandle> next = absent.lock("l").acquireAsync();
            next.whenComplete((handle, failure) -> both.complete(held.isHeld()));
            proxy.refuse(true);
            proxy.cut();
            logging.kill();
            copy(data.resolve("older"), data.resolve("appendonlydir"));
            logging.restart();
            assertThat(held.isHeld()).isTrue();
            away.refuse(false);

            assertThat(both.get(60, TimeUnit.SECONDS)).isFalse();
            next.get().close();
        }
    }

    private static void copy(Path from, Path to) throws Exception {
        Files.createDirectories(to);
        try (Stream<Path> files = Files.list(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    private long beat(RedisProcess of) {
        return Long.parseLong(String.valueOf(of.call("HGET", keys.sequences(), "beat")));
    }

    /** The session's, in milliseconds of the server's clock. */
    private long deadline(LockHandle held) {
        List<?> session = (List<?>) server.call("ZRANGE", keys.sessions(), "0", "0", "WITHSCORES");
        assertThat(held.isHeld()).isTrue();
        return Long.parseLong(String.valueOf(session == null ? "" : session.get(1)));
    }

    @Test
    void connect_serverDoesNotSayHowLongItHasBeenUp_doesNotWait() throws Exception {
        server.call("ACL", "SETUSER", "app", "on", ">secret", "~*", "&*", "+@all", "-info");

        Duration session = Duration.ofMinutes(1); // no slow machine ends it, and a guard would be plain to see
        try (LockClient client = client("app:secret@" + server.address(), "", session, session)) {
            client.lock("l").acquire().close();
            assertThat(warnings).isEmpty();
        }
    }

    @Test
    void open_serverDoesNotSayHowLongItHasBeenUp_saysSo() {
        assertThat(open("'nothing'").get(1)).isEqualTo(1L);
    }

    @Test
    void open_clockWasSetBackBehindTheStart_waitsOnceAndNotForAsLongAsTheClockIsWrong() {
        String info = "'run_id:a uptime_in_seconds:-3600'";

        assertThat(open(info).get(0)).isEqualTo("");
        await().until(() -> !open(info).get(0).equals(""));
    }

    @Test
    void open_somebodyBeganBeforeTheLossWasNoticed_nobodyBeginsOnceItIs() {
        String longUp = "'run_id:a uptime_in_seconds:3600'";
        assertThat(open(longUp, "0000000000001", "60000", "0").get(0)).isNotEqualTo("");
        assertThat(open(longUp, "0000000000002", "60000", "60000").get(0)).isEqualTo("");

        assertThat(open(longUp, "0000000000003", "60000", "0").get(0)).isEqualTo("");
    }

    private List<?> open(String info) {
        return open(info, "0123456789abc", "300", "0");
    }

    /** What the script answers if this is what the server says of itself. */
    private List<?> open(String info, String session, String timeout, String forgotten) {
        String script = Script.OPEN.text().replace("redis.pcall('INFO', 'server')", info);
        Object answer = server.call(
                "EVAL",
                script,
                "3",
                keys.sessions(),
                keys.names(),
                keys.sequences(),
                session,
                keys.channels(),
                timeout,
                "60000",
                forgotten,
                "0");
        return answer instanceof List<?> list ? list : List.of();
    }
}
