package io.wellkeeper.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A token that is too large would be a negative one of a client's, so that tokens would grow no more. */
class TokensTest {

    private static final Ticket TICKET = new Ticket(7, "id", "me", Mode.EXCLUSIVE, 1);

    private static Lease lease(OptionalLong token) {
        return new Lease("l", "me", token, Duration.ofSeconds(1));
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, Long.MIN_VALUE, Place.MAX_TOKEN + 1, Long.MAX_VALUE})
    void placeAndLease_tokenOutOfRange_isRefused(long token) {
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> new Place(TICKET, token, List.of()))
                .withMessageContaining(Long.toString(token));
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> lease(OptionalLong.of(token)))
                .withMessageContaining(Long.toString(token));
    }

    @Test
    void lease_tokenInRangeOrNone_isAsItIs() {
        assertThat(lease(OptionalLong.of(Place.MAX_TOKEN)).token()).hasValue(Place.MAX_TOKEN);
        assertThat(lease(OptionalLong.of(0)).token()).hasValue(0);
        assertThat(lease(OptionalLong.empty()).token()).isEmpty();
    }
}
