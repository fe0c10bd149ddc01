package io.wellkeeper.internal;

import io.wellkeeper.spi.Ticket;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds out how many permits a queue has, which is the number that its notice names or should name. */
@FunctionalInterface
interface Size {

    /**
     * The number of permits, as read from a notice.
     *
     * @param permits how many there are
     * @param correction the notice that must be posted before this number is valid; null if the notice names it already
     * @param isKnown false if the number depends on a ticket ahead that has yet to read the notice: then it is read
     *     again
     */
    record Reading(int permits, @Nullable NoticeForm correction, boolean isKnown) {

        static final Reading UNKNOWN = new Reading(0, null, false);

        Reading(int permits, @Nullable NoticeForm correction) {
            this(permits, correction, true);
        }
    }

    /**
     * Reads a notice.
     *
     * @param notice the notice of the queue
     * @param mine the number of the reader's ticket
     * @param ahead the tickets ahead of it, smallest number first
     * @throws IllegalStateException if the notice names another number than the reader asks for
     * @throws IllegalArgumentException if there are fewer permits than the reader wants
     */
    Reading read(NoticeForm notice, long mine, List<Ticket> ahead);
}
