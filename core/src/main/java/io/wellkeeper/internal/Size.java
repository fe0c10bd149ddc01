package io.wellkeeper.internal;

import io.wellkeeper.spi.Ticket;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How many permits a queue has: what its notice says, or should say. */
@FunctionalInterface
interface Size {

    /**
     * What a notice says.
     *
     * @param permits how many there are
     * @param correction what the notice must be replaced by before that is true; null if it says so already
     * @param isKnown false if that shows only when somebody ahead has read the notice too: then it is read again
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
     * @param notice what is put up
     * @param mine the number of the reader's ticket
     * @param ahead the tickets ahead of it, smallest number first
     * @throws IllegalStateException if it says something else than the reader believes
     * @throws IllegalArgumentException if there are fewer than the reader wants
     */
    Reading read(NoticeForm notice, long mine, List<Ticket> ahead);
}
