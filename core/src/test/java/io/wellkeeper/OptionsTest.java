package io.wellkeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OptionsTest {

    @Test
    void toBuilder_unchanged_buildsTheSameLockOptions() {
        LockOptions options = LockOptions.builder()
                .handOvers(3)
                .handOverTime(Duration.ofMillis(7))
                .reentrant(false)
                .retain(true)
                .awaitRelease(true)
                .reason("because")
                .label("ticket", "OPS-1")
                .build();

        assertThat(options.toBuilder().build()).usingRecursiveComparison().isEqualTo(options);
    }

    @Test
    void toBuilder_unchanged_buildsTheSameClientOptions() {
        ClientOptions options = ClientOptions.builder()
                .clientName("till-7")
                .sessionTimeout(Duration.ofSeconds(3))
                .storeTimeout(Duration.ofSeconds(2))
                .closeTimeout(Duration.ofSeconds(1))
                .lockDefaults(LockOptions.builder().handOvers(0).build())
                .listener(new LockListener() {})
                .callbackExecutor(task -> {})
                .build();

        assertThat(options.toBuilder().build()).usingRecursiveComparison().isEqualTo(options);
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MIN_VALUE, -1, 64, Integer.MAX_VALUE})
    void handOvers_outOfRange_isRefusedWithTheRule(int count) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockOptions.builder().handOvers(count))
                .withMessage("handOvers is " + count + "; 0 to 63 is allowed");
    }

    @Test
    void durations_negative_areRefusedWithTheRule() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockOptions.builder().handOverTime(Duration.ofNanos(-1)))
                .withMessageContaining("handOverTime")
                .withMessageContaining("must not be negative");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ClientOptions.builder().sessionTimeout(Duration.ZERO))
                .withMessageContaining("sessionTimeout")
                .withMessageContaining("at least");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ClientOptions.builder().closeTimeout(Duration.ofSeconds(-1)))
                .withMessageContaining("closeTimeout");
    }

    @Test
    void durations_longerThanNanosecondsCanSay_areShortened() {
        ClientOptions options = ClientOptions.builder()
                .storeTimeout(Duration.ofSeconds(Long.MAX_VALUE))
                .build();

        assertThat(options.storeTimeout().toNanos()).isPositive();
    }

    @Test
    void texts_tooLong_areRefusedWithTheirLength() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockOptions.builder().reason("x".repeat(1025)))
                .withMessageContaining("1025");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockOptions.builder()
                        .reason("x".repeat(1000))
                        .label("key", "x".repeat(100))
                        .build())
                .withMessageContaining("1103");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ClientOptions.builder().clientName("x".repeat(257)))
                .withMessageContaining("257");
    }
}
