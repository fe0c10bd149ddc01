package io.wellkeeper.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LockNamesTest {

    @ParameterizedTest
    @ValueSource(
            strings = {"a", " ", "orders/42", "..", "/", "//", "zookeeper", "\u0001\n\t", "锁-🔒", "%2F", "{a}", "-n"})
    void check_validName_returnsIt(String name) {
        assertThat(LockNames.check(name)).isSameAs(name);
    }

    @Test
    void check_longestNames_areAllowedAndOneByteMoreIsNot() {
        assertThat(LockNames.check("x".repeat(512))).hasSize(512);
        assertThat(LockNames.check("é".repeat(256))).hasSize(256);
        assertRefused("x".repeat(513), "513 characters");
        assertRefused("é".repeat(256) + "x", "513 bytes");
        assertRefused("x".repeat(5_000_000), "5000000 characters");
    }

    @Test
    void check_invalidName_isRefusedWithTheRule() {
        assertRefused("", "empty");
        assertRefused("a\0b", "NUL character at index 1");
        assertRefused("a\ud800", "unpaired surrogate");
        assertRefused("\udc00a", "unpaired surrogate");
    }

    private static void assertRefused(String name, String rule) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockNames.check(name))
                .withMessageContaining(rule);
    }
}
