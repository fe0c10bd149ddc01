package io.wellkeeper.internal;

import io.wellkeeper.LockBreak;
import io.wellkeeper.spi.Ticket;
import java.time.Instant;
import java.util.Optional;

/** That something was taken away from its holders, as it stands in the notice of the queue. */
final class Breaking {

    private static final String KEY = "broken";

    private Breaking() {}

    /**
     * Puts it into a notice, where there is always room for it; requests to those who hold may have to make way.
     *
     * @param numbers those of the holders' tickets
     */
    static NoticeForm pinTo(NoticeForm notice, String numbers, LockBreak what) {
        NoticeForm mine = NoticeForm.EMPTY
                .with("numbers", numbers)
                .with("by", what.by())
                .with("reason", what.reason())
                .with("when", Long.toString(what.when().toEpochMilli()));
        return Revocation.makeRoom(notice.with(KEY, mine.format()), 0);
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
                && TicketNumbers.contains(form.get().get("numbers").orElse(""), gone.number());
        if (!concerned) {
            return "";
        }
        LockBreak what = of(form.get());
        return "'" + what.by() + "' has broken the lock: " + what.reason();
    }
}
