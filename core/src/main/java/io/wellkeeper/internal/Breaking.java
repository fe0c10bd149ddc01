package io.wellkeeper.internal;

import io.wellkeeper.LockBreak;
import io.wellkeeper.spi.Ticket;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** That something was taken away from its holders, as it stands in the notice of the queue. */
final class Breaking {

    private static final String KEY = "broken";

    private Breaking() {}

    static NoticeForm pinTo(NoticeForm notice, List<String> tickets, LockBreak what) {
        NoticeForm mine = NoticeForm.EMPTY
                .with("tickets", String.join(" ", tickets))
                .with("by", what.by())
                .with("reason", what.reason())
                .with("when", Long.toString(what.when().toEpochMilli()));
        return notice.with(KEY, mine.format());
    }

    static Optional<LockBreak> read(NoticeForm notice) {
        return notice.get(KEY).map(NoticeForm::parse).map(Breaking::of);
    }

    private static LockBreak of(NoticeForm form) {
        return new LockBreak(
                form.get("by").orElse(""),
                form.get("reason").orElse(""),
                when(form.get("when").orElse("")));
    }

    private static Instant when(String millis) {
        try {
            return Instant.ofEpochMilli(Long.parseLong(millis));
        } catch (NumberFormatException foreign) {
            return Instant.EPOCH;
        }
    }

    /** Why this ticket is gone, in the middle of a sentence; empty if nobody says. */
    static String describe(NoticeForm notice, Ticket gone) {
        Optional<NoticeForm> form = notice.get(KEY).map(NoticeForm::parse);
        boolean concerned = form.isPresent()
                && Arrays.asList(form.get().get("tickets").orElse("").split(" "))
                        .contains(gone.id());
        if (!concerned) {
            return "";
        }
        LockBreak what = of(form.get());
        return "'" + what.by() + "' has broken the lock: " + what.reason();
    }
}
