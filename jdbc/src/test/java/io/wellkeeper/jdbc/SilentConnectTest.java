package io.wellkeeper.jdbc;

import static org.awaitility.Awaitility.await;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.testservers.TcpProxy;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Connections that are being made fall silent for good: something accepts them, and nobody ever answers. */
@Tag("full")
class SilentConnectTest {

    private static final Duration SESSION = Duration.ofSeconds(2);
    private static final Duration PLENTY = Duration.ofSeconds(60);

    private static String uri(RealDatabase database, String scheme, int port) {
        String uri = database.uri("jdbc:", port) + "&prefix=" + RealDatabase.prefix();
        return scheme.endsWith("mysql:")
                ? uri.replaceFirst("jdbc:mariadb:", scheme) + "&sslMode=DISABLED&allowPublicKeyRetrieval=true"
                : uri;
    }

    private static LockClient connect(String uri) {
        return LockClient.connect(
                uri, ClientOptions.builder().sessionTimeout(SESSION).build());
    }

    @ParameterizedTest
    @CsvSource({"POSTGRESQL, jdbc:", "MARIADB, jdbc:", "MARIADB, jdbc:mysql:"})
    void lock_connectionIsAcceptedAndNeverAnswered_worksOnceOthersAre(RealDatabase database, String scheme)
            throws Exception {
        try (TcpProxy proxy = TcpProxy.of(database.port());
                LockClient client = connect(uri(database, scheme, proxy.port()))) {
            client.lock("name").acquire().close();
            proxy.swallow(true);
            proxy.cut();
            await().until(() -> proxy.connections() == 2);

            proxy.cutServer();
            proxy.swallow(false);

            client.lock("name").tryAcquire(PLENTY).orElseThrow().close();
            await().atMost(PLENTY).until(() -> proxy.connections() == 2);
        }
    }

    @ParameterizedTest
    @CsvSource({"POSTGRESQL, LISTEN", "MARIADB, UNCOMMITTED"})
    void lock_connectionFallsSilentBeforeItListens_anotherOneListens(RealDatabase database, String torn)
            throws Exception {
        try (TcpProxy proxy = TcpProxy.of(database.port());
                LockClient client = connect(uri(database, "jdbc:", proxy.port()))) {
            client.lock("name").acquire().close();
            proxy.swallowFrom(torn);
            proxy.cut();
            await().until(proxy::isSwallowing);

            proxy.cutServer();
            proxy.swallow(false);

            client.lock("name").tryAcquire(PLENTY).orElseThrow().close();
            await().atMost(PLENTY).until(() -> proxy.connections() == 2);
        }
    }
}
