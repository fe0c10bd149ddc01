package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wellkeeper.spi.StoreUri;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NativeDialectTest {

    @ParameterizedTest
    @ValueSource(strings = {"0", "42", "-7", "9223372036854775807", "-9223372036854775808"})
    void key_ofANumber_isThatNumber(String name) {
        assertThat(NativeDialect.POSTGRESQL.key(name)).isEqualTo(name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"+42", "042", "-0", " 42", "9223372036854775808", "\u0664\u0662", "orders/42"})
    void key_ofAnythingElse_isAnotherNumber(String name) {
        assertThat(NativeDialect.POSTGRESQL.key(name)).isNotEqualTo(name).matches("-?\\d+");
    }

    @ParameterizedTest
    @ValueSource(strings = {"orders/42", "a.b-c_d:e", "{}|~!"})
    void key_plainName_isThatName(String name) {
        assertThat(NativeDialect.MARIADB.key(name)).isEqualTo(name);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Orders",
                "a b",
                "\u00e9",
                "a ",
                "12345678901234567890123456789012345678901234567890123456789012345"
            })
    void key_nameThatMariaDbCannotHold_isAHash(String name) {
        assertThat(NativeDialect.MARIADB.key(name)).hasSizeLessThanOrEqualTo(64).matches("wellkeeper:[0-9a-f]{52}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc-native:sqlite:/file?password=hidden",
                "jdbc-native:oracle:thin:@host?password=hidden",
                "jdbc-native:postgresql://me:hidden@host/database"
            })
    void of_wrong_isRefusedWithoutTheSecret(String uri) {
        assertThatThrownBy(() -> NativeLeaseStore.of(StoreUri.parse(uri)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("hidden");
    }

    @Test
    void address_ofAUri_isWithoutParameters() {
        StoreUri uri = StoreUri.parse("jdbc-native:mariadb://host/database?password=hidden");

        assertThat(NativeLeaseStore.of(uri).address()).isEqualTo("jdbc:mariadb://host/database");
    }
}
