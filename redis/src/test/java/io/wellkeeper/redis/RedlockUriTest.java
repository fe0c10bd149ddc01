package io.wellkeeper.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wellkeeper.spi.StoreUri;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What may stand in the URI of a Redlock. */
class RedlockUriTest {

    private static RedlockOptions options(String uri) {
        return RedlockOptions.of(StoreUri.parse(uri));
    }

    @Test
    void of_hostsOnly_hasTheUsualValues() {
        RedlockOptions options = options("redlock://a,b:7000,c:7001");

        assertThat(options.address()).isEqualTo("a:6379,b:7000,c:7001");
        assertThat(options.nodeTimeout()).isEqualTo(Duration.ofMillis(50));
        assertThat(options.restartDelay()).isEqualTo(Duration.ofSeconds(60));
        assertThat(options.prefix()).isEmpty();
        assertThat(options.servers()).noneMatch(RedisServer::tls);
    }

    @Test
    void of_everything_isUnderstood() {
        RedlockOptions options =
                options("redlocks://app:s%40cr%20et@a,b,c/3?prefix=p:&client=me%26co&nodeTimeout=20ms&restartDelay=2m");

        assertThat(options.servers()).allSatisfy(server -> {
            assertThat(server.tls()).isTrue();
            assertThat(server.user()).contains("app");
            assertThat(server.password()).contains("s@cr et");
            assertThat(server.database()).isEqualTo(3);
            assertThat(server.client()).contains("me&co");
        });
        assertThat(options.prefix()).isEqualTo("p:");
        assertThat(options.nodeTimeout()).isEqualTo(Duration.ofMillis(20));
        assertThat(options.restartDelay()).isEqualTo(Duration.ofMinutes(2));
        assertThat(options("redlock://secret@a,b,c").servers().get(0).password())
                .isEqualTo(Optional.of("secret"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redlock://:hidden@a",
                "redlock://:hidden@a,b",
                "redlock://:hidden@a,b,a",
                "redlock://:hidden@a,b,",
                "redlock://:hidden@a,b,c:port",
                "redlock://:hidden@a,b,c?no=such",
                "redlock://:hidden@a,b,c?nodeTimeout=0s",
                "redlock://:hidden@a,b,c?restartDelay=soon"
            })
    void of_wrong_isRefusedWithoutTheSecret(String uri) {
        assertThatThrownBy(() -> RedlockLeaseStore.of(StoreUri.parse(uri)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("hidden");
    }
}
