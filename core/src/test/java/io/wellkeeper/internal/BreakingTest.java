package io.wellkeeper.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.LockBreak;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** A notice has room for 16 KiB, also when texts have been put into it that are as long as they may be. */
class BreakingTest {

    private static final int MOST_BYTES = 16 * 1024;
    private static final int LONGEST_REASON = 1_024;
    private static final String WORST = "\u0085"; // of two bytes, each of which takes five when it is encoded twice
    private static final String LONGEST_NAME = WORST.repeat(256);
    private static final int SEVERAL = 20;

    private static int bytes(NoticeForm form) {
        return form.format().getBytes(StandardCharsets.UTF_8).length;
    }

    private static NoticeForm severalTimes(UnaryOperator<NoticeForm> change) {
        NoticeForm form = NoticeForm.EMPTY;
        for (int i = 0; i < SEVERAL; i++) {
            form = change.apply(form);
        }
        return form;
    }

    /** Else a semaphore whose number of permits is corrected, or changed, would find no room for that. */
    @Test
    void pinTo_reasonsOfAnyLength_numbersStillHaveRoom() {
        for (int length = 0; length <= LONGEST_REASON; length++) {
            String reason = "\u9501".repeat(length);
            NoticeForm broken =
                    severalTimes(form -> Breaking.pinTo(form, "1", new LockBreak("somebody", reason, Instant.EPOCH)));

            assertThat(bytes(broken.with("size", Integer.toString(Integer.MAX_VALUE))
                            .with("by", Long.toString(Long.MAX_VALUE))
                            .with("held", TicketNumbers.range(List.of(Long.MIN_VALUE, Long.MAX_VALUE)))))
                    .as("reasons of %s characters", length)
                    .isLessThanOrEqualTo(MOST_BYTES);
        }
    }

    @Test
    void pinTo_longestNameAndReasonOfTheWorstCharacters_hasRoom() {
        String reason = WORST.repeat(LONGEST_REASON);

        NoticeForm broken =
                severalTimes(form -> Breaking.pinTo(form, "1", new LockBreak(LONGEST_NAME, reason, Instant.EPOCH)));
        NoticeForm asked =
                severalTimes(form -> Revocation.of("1", LONGEST_NAME, reason).pinTo(form, numbers -> true));

        assertThat(broken.fits()).isTrue();
        assertThat(Breaking.read(broken).orElseThrow().reason()).isEqualTo(reason);
        assertThat(asked.fits()).isTrue();
        assertThat(Revocation.all(asked)).extracting(Revocation::reason).containsExactly(reason);
    }

    @Test
    void pinTo_requestAfterManyBreaks_oldestBreaksMakeWay() {
        String reason = "\u9501".repeat(LONGEST_REASON);
        NoticeForm broken =
                severalTimes(form -> Breaking.pinTo(form, "1", new LockBreak("somebody", reason, Instant.EPOCH)));

        NoticeForm asked = Revocation.of("2", "somebody", "please").pinTo(broken, numbers -> true);
        NoticeForm askedAtLength =
                Revocation.of("2", LONGEST_NAME, WORST.repeat(LONGEST_REASON)).pinTo(broken, numbers -> true);

        assertThat(asked.fits()).isTrue();
        assertThat(askedAtLength.fits()).isTrue();
        assertThat(Revocation.all(askedAtLength)).hasSize(1);
        assertThat(Breaking.read(asked)).isPresent();
    }
}
