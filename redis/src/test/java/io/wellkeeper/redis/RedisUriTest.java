package io.wellkeeper.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisURI;
import io.netty.channel.ConnectTimeoutException;
import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.testservers.RedisProcess;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What may stand in a URI, and what comes of it. */
class RedisUriTest {

    private static final ClientOptions PATIENCE =
            ClientOptions.builder().storeTimeout(Duration.ofSeconds(10)).build();

    private static RedisServer server(String uri) {
        return RedisServer.of(StoreUri.parse(uri));
    }

    private static void use(String uri) {
        try (LockClient client = LockClient.connect(uri, PATIENCE)) {
            client.lock("used").lock();
            client.lock("used").unlock();
        }
    }

    @Test
    void of_hostOnly_hasTheUsualPortAndDatabase() {
        RedisServer server = server("redis://localhost");

        assertThat(server.host()).isEqualTo("localhost");
        assertThat(server.port()).isEqualTo(6379);
        assertThat(server.database()).isZero();
        assertThat(server.tls()).isFalse();
    }

    @Test
    void of_everything_isUnderstood() {
        RedisServer server = server("rediss://app:s%40cret@[::1]:7000/3?prefix=p&client=c&restartGuard=off");

        assertThat(server)
                .isEqualTo(new RedisServer(
                        "::1", 7000, true, Optional.of("app"), Optional.of("s@cret"), 3, Optional.of("c")));
        RedisURI uri = server.uri("other");
        assertThat(uri.isSsl()).isTrue();
        assertThat(uri.getClientName()).isEqualTo("c");
    }

    @Test
    void toString_withPassword_hidesIt() {
        RedisServer server = server("redis://app:hidden@host:7000/3");

        assertThat(List.of(server.toString(), server.address())).containsOnly("host:7000/3");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis://:hidden@",
                "redis://:hidden@a:1,b:2",
                "redis://:hidden@host:port",
                "redis://:hidden@host:0",
                "redis://:hidden@host/name",
                "redis://:hidden@host?no=such",
                "redis://:hidden@host?restartGuard=maybe",
                "redis://:hidden@host?prefix=%7Btag%7D",
                "redis://:hidden/and@host",
                "redis://:and/hidden@host:6379/1",
                "redis://app:hidden/and@host",
                "redis://app:1234/hidden@host",
                "redis-sentinel://app:hidden/and@host",
                "redis-cluster://app:hidden/and@host"
            })
    void of_wrong_isRefusedWithoutTheSecret(String uri) {
        assertThatThrownBy(() -> RedisTicketStore.of(StoreUri.parse(uri)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("hidden");
    }

    @Test
    void connect_withPasswordAndDatabase_keysAreThere() {
        try (RedisProcess server = RedisProcess.start("--requirepass", "hidden")) {
            use("redis://:hidden@" + server.address() + "/3?prefix=mine&client=named&restartGuard=off");

            assertThatThrownBy(() -> use("redis://:wrong-one@" + server.address()))
                    .isInstanceOf(LockStoreException.class)
                    .hasMessageContaining(server.address())
                    .hasMessageMatching(
                            ".*(WRONGPASS|closed).*") // Lettuce may have seen the end of the connection first
                    .hasMessageNotContaining("wrong-one");
            assertThatThrownBy(() -> use("redis://" + server.address()))
                    .isInstanceOf(LockStoreException.class)
                    .hasMessageContaining("NOAUTH");
        }
    }

    @Test
    void connect_asAclUser_needsNoMoreThanItsKeysAndChannels() {
        try (RedisProcess server = RedisProcess.start()) {
            server.call(
                    "ACL",
                    "SETUSER",
                    "app",
                    "on",
                    ">hidden",
                    "~wellkeeper:*",
                    "&wellkeeper:*",
                    "-@all",
                    "+@connection",
                    "+@scripting",
                    "+@sortedset",
                    "+@hash",
                    "+@keyspace",
                    "+@pubsub",
                    "+time",
                    "+info",
                    "+@string");

            use("redis://app:hidden@" + server.address() + "?restartGuard=off");

            assertThat(server.call("ACL", "LOG")).isEqualTo(List.of());
        }
    }

    @Test
    void connect_nobodyThere_saysWhere() {
        assertThatThrownBy(() -> use("redis://:hidden@127.0.0.1:1"))
                .isInstanceOf(LockStoreException.class)
                .hasMessageContaining("127.0.0.1:1")
                .hasMessageNotContaining("hidden");
    }

    @Test
    void unreachable_failureWithoutWords_saysWhatItIs() {
        RedisServer server = RedisServer.of(StoreUri.parse("redis://h"));

        assertThat(server.unreachable(new CompletionException(new ConnectTimeoutException())))
                .hasMessageContaining("h:6379")
                .hasMessageContaining("ConnectTimeoutException");
    }
}
