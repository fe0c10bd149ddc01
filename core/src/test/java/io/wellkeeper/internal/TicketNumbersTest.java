package io.wellkeeper.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class TicketNumbersTest {

    @Test
    void range_ofNumbers_containsWhatLiesBetween() {
        assertThat(TicketNumbers.range(List.of())).isEmpty();
        assertThat(TicketNumbers.range(List.of(7L))).isEqualTo("7");
        assertThat(TicketNumbers.range(List.of(3L, 5L, 9L))).isEqualTo("3..9");
    }

    @Test
    void exactly_numbersWithGaps_containsNoOthers() {
        List<Long> numbers = List.of(-2L, -1L, 0L, 3L, 5L, 6L);
        String text = TicketNumbers.exactly(numbers);

        assertThat(text).isEqualTo("-2..0 3 5..6");
        for (long number = -5; number < 10; number++) {
            assertThat(TicketNumbers.contains(text, number)).isEqualTo(numbers.contains(number));
        }
        assertThat(TicketNumbers.exactly(List.of())).isEmpty();
    }

    @Test
    void exactly_largeConsecutiveNumbers_isShort() {
        List<Long> numbers = LongStream.range(1_000_000, 1_010_000).boxed().toList();

        assertThat(TicketNumbers.exactly(numbers)).isEqualTo("1000000..1009999");
    }

    @Test
    void contains_foreignText_isFalse() {
        for (String foreign : List.of("", " ", "..", "a..b", "1..", "..2", "t1 t2", "99999999999999999999")) {
            assertThat(TicketNumbers.contains(foreign, 1)).isFalse();
        }
    }
}
