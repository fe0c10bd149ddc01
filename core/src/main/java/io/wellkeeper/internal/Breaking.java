package io.wellkeeper.internal;

import io.wellkeeper.LockBreak;
import io.wellkeeper.spi.Ticket;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The records in a queue's notice that say that a lock was taken away from its holders. */
final class Breaking {

    private static final String PREFIX = "broken.";
    private static final int KEPT = 8; // so that each of several successive holders can read who broke the lock

    private Breaking() {}

    /**
     * Adds a record to a notice, behind the others. There is always room for it: older records may have to make way,
     * and then requests for revocation.
     *
     * @param numbers the numbers of the holders' tickets
     */
    static NoticeForm pinTo(NoticeForm notice, String numbers, LockBreak what) {
        NoticeForm mine = NoticeForm.EMPTY
                .with("numbers", numbers)
                .with("by", what.by())
                .with("reason", what.reason())
                .with("when", Long.toString(what.when().toEpochMilli()));
        return Revocation.makeRoom(makeRoom(notice.with(notice.keyBehind(PREFIX), mine.format()), 1), 0);
    }

    /** Takes out the oldest records until the rest fits, but leaves so many of the newest. */
    static NoticeForm makeRoom(NoticeForm notice, int left) {
        return notice.withLastOf(PREFIX, KEPT, left);
    }

    private static List<NoticeForm> all(NoticeForm notice) {
        return notice.keys(PREFIX).stream()
                .map(key -> NoticeForm.parse(notice.get(key).orElse("")))
                .toList();
    }

    /** The last record. */
    static Optional<LockBreak> read(NoticeForm notice) {
        return all(notice).stream().reduce((before, last) -> last).map(Breaking::of);
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

    /** Why this ticket is gone, for use in the middle of a sentence; empty if no record says it. */
    static String describe(NoticeForm notice, Ticket gone) {
        return all(notice).stream()
                .filter(form -> TicketNumbers.contains(form.get("numbers").orElse(""), gone.number()))
                .reduce((before, last) -> last)
                .map(Breaking::of)
                .map(what -> "'" + what.by() + "' has broken the lock: " + what.reason())
                .orElse("");
    }
}
