package io.wellkeeper.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.LockOptions;
import io.wellkeeper.Participant;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MetadataTest {

    private static final Instant THEN = Instant.parse("2026-01-01T00:00:00Z");

    @Test
    void read_ownText_givesBackEverything() {
        String text = new Metadata("till & co=7")
                .of(
                        "worker-1 ü",
                        LockOptions.builder()
                                .reason("审计 %&=")
                                .label("a=b", "c&d")
                                .build());

        Participant read = read(text, THEN.plusSeconds(5));

        assertThat(read.client()).isEqualTo("till & co=7");
        assertThat(read.thread()).isEqualTo("worker-1 ü");
        assertThat(read.reason()).isEqualTo("审计 %&=");
        assertThat(read.labels()).isEqualTo(Map.of("a=b", "c&d"));
        assertThat(read.pid()).isEqualTo(ProcessHandle.current().pid());
        assertThat(read.host()).isNotEmpty();
        assertThat(read.since()).isEqualTo(THEN);
        assertThat(read.waited()).isEqualTo(Duration.ofSeconds(5));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "&&&", "=", "127.0.0.1", "%zz=%", "pid=many", "host", "\u0000\u001b[31m"})
    void read_foreignText_givesWhatMakesSense(String text) {
        Participant read = read(text, THEN);

        assertThat(read.number()).isEqualTo(7);
        assertThat(read.pid()).isZero();
        assertThat(read.client()).isEmpty();
    }

    @Test
    void read_clockOfTheStoreAhead_neverWaitsNegatively() {
        assertThat(read("", THEN.minusSeconds(9)).waited()).isZero();
    }

    private static Participant read(String text, Instant now) {
        return Metadata.read(new TicketInfo(new Ticket(7, "t", "s", Mode.EXCLUSIVE, 1), text, THEN), now);
    }
}
