package io.wellkeeper.spi;

import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** A lease of which nobody knows how long it counts is no answer: the store is told so, and its request has failed. */
class LeaseTest {

    @Test
    @SuppressWarnings("NullAway")
    void new_validityIsMissing_isRefused() {
        assertThatNullPointerException()
                .isThrownBy(() -> new Lease("l", "me", OptionalLong.empty(), null))
                .withMessage("validity");
    }
}
