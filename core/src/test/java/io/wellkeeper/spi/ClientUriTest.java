package io.wellkeeper.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.wellkeeper.ClientOptions;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ClientUriTest {

    private static final ClientOptions GIVEN = ClientOptions.builder()
            .clientName("given")
            .sessionTimeout(Duration.ofSeconds(7))
            .storeTimeout(Duration.ofSeconds(8))
            .closeTimeout(Duration.ofSeconds(9))
            .build();

    @Test
    void of_allThatIsTheClients_goesBeforeTheOptionsAndIsLeftOut() {
        ClientUri both = ClientUri.of(
                StoreUri.parse("redis://h:1/p?sessionTimeout=1s&x=y&storeTimeout=2s&closeTimeout=3s&clientName=shop"),
                GIVEN);

        assertThat(both.options().sessionTimeout()).isEqualTo(Duration.ofSeconds(1));
        assertThat(both.options().storeTimeout()).isEqualTo(Duration.ofSeconds(2));
        assertThat(both.options().closeTimeout()).isEqualTo(Duration.ofSeconds(3));
        assertThat(both.options().clientName()).isEqualTo("shop");
        assertThat(both.store().parameters()).isEqualTo(Map.of("x", "y"));
        assertThat(both.store()).hasToString("redis://h:1/p");
    }

    @Test
    void of_nothingThatIsTheClients_leavesBothAsTheyAre() {
        ClientUri both = ClientUri.of(StoreUri.parse("redis://h:1?x=y"), GIVEN);

        assertThat(both.options().sessionTimeout()).isEqualTo(Duration.ofSeconds(7));
        assertThat(both.options().storeTimeout()).isEqualTo(Duration.ofSeconds(8));
        assertThat(both.options().closeTimeout()).isEqualTo(Duration.ofSeconds(9));
        assertThat(both.options().clientName()).isEqualTo("given");
        assertThat(both.store().parameters()).isEqualTo(Map.of("x", "y"));
    }

    @Test
    void of_misspeltOrWrong_isRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ClientUri.of(StoreUri.parse("redis://h:1?sesionTimeout=1s"), GIVEN))
                .withMessageContaining("'sessionTimeout'");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ClientUri.of(StoreUri.parse("redis://h:1?storeTimeout=soon"), GIVEN))
                .withMessageContaining("storeTimeout");
    }
}
