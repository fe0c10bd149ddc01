package io.wellkeeper.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.LockOptions;
import io.wellkeeper.Participant;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MetadataTest {

    private static final Instant THEN = Instant.parse("2026-01-01T00:00:00Z");

    @Test
    void read_ownText_givesBackEverything() {
        LockOptions options =
                LockOptions.builder().reason("审计 %&=").label("a=b", "c&d").build();
        String text = new Metadata("till & co=7").of(List.of(subject(7, "worker-1 ü", options)), List.of());

        Participant read = read(text, THEN.plusSeconds(5));

        assertThat(read.clientName()).isEqualTo("till & co=7");
        assertThat(read.thread()).isEqualTo("worker-1 ü");
        assertThat(read.reason()).isEqualTo("审计 %&=");
        assertThat(read.labels()).isEqualTo(Map.of("a=b", "c&d"));
        assertThat(read.pid()).isEqualTo(ProcessHandle.current().pid());
        assertThat(read.host()).isNotEmpty();
        assertThat(read.since()).isEqualTo(THEN);
        assertThat(read.fencingToken()).hasValue(3 << 6);
        assertThat(read.waited()).isEqualTo(Duration.ofSeconds(5));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "&&&", "=", "127.0.0.1", "%zz=%", "pid=many", "host", "\u0000\u001b[31m"})
    void read_foreignText_givesWhatMakesSense(String text) {
        Participant read = read(text, THEN);

        assertThat(read.number()).isEqualTo(7);
        assertThat(read.pid()).isZero();
        assertThat(read.clientName()).isEmpty();
    }

    @Test
    void of_asManyLabelsAsThereMayBe_fitsOnATicket() {
        LockOptions.Builder options = LockOptions.builder();
        for (int i = 0; i < 1_024; i++) {
            options.label(Character.toString('\u4e00' + i), "");
        }

        String text = new Metadata("\u9501".repeat(256)).of(List.of(subject(7, "worker", options.build())), List.of());

        assertThat(text.length()).isBetween(16 * 1024 - 64, 16 * 1024);
        assertThat(read(text, THEN).labels()).hasSizeGreaterThan(700);
    }

    @Test
    void read_clockOfTheStoreAhead_neverWaitsNegatively() {
        assertThat(read("", THEN.minusSeconds(9)).waited()).isZero();
    }

    @Test
    void threads_oneAlone_isWrittenTheSameWhetherItHoldsOrWaits() {
        Metadata metadata = new Metadata("till");
        List<Metadata.Subject> one = List.of(subject(7, "worker", LockOptions.defaults()));

        assertThat(metadata.of(one, List.of())).isEqualTo(metadata.of(List.of(), one));
        Metadata.Threads threads = Metadata.threads(info(metadata.of(one, List.of())));
        assertThat(threads.inside()).isEqualTo(Map.of(7L, "worker"));
        assertThat(threads.standing()).isEqualTo(Map.of(7L, "worker"));
    }

    @Test
    void threads_several_areListedByWhatTheyDo() {
        LockOptions options = LockOptions.defaults();
        String text = new Metadata("till")
                .of(List.of(subject(7, "in", options)), List.of(subject(8, "a&b", options), subject(9, "c", options)));

        Metadata.Threads threads = Metadata.threads(info(text));

        assertThat(threads.inside()).isEqualTo(Map.of(7L, "in"));
        assertThat(threads.standing()).isEqualTo(Map.of(8L, "a&b", 9L, "c"));
    }

    @Test
    void of_thousandsOfThreads_staysShortEnoughForEveryStore() {
        List<Metadata.Subject> many = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            many.add(subject(i, "é".repeat(200), LockOptions.defaults()));
        }

        assertThat(new Metadata("till").of(List.of(), many)).hasSizeLessThan(16 * 1024);
    }

    private static Metadata.Subject subject(long id, String name, LockOptions options) {
        return new Metadata.Subject() {
            @Override
            public OptionalLong threadId() {
                return OptionalLong.of(id);
            }

            @Override
            public String threadName() {
                return name;
            }

            @Override
            public LockOptions options() {
                return options;
            }
        };
    }

    private static Participant read(String text, Instant now) {
        return Metadata.read(info(text), now);
    }

    private static TicketInfo info(String text) {
        return new TicketInfo(new Ticket(7, "t", "s", Mode.EXCLUSIVE, 1), text, THEN, OptionalLong.of(3));
    }
}
