package io.wellkeeper.internal;

import org.jspecify.annotations.Nullable;

/** How many permits a queue has: what its notice says, or should say. */
@FunctionalInterface
interface Size {

    /**
     * What a notice says.
     *
     * @param permits how many there are
     * @param correction what the notice must be replaced by before that is true; null if it says so already
     */
    record Reading(int permits, @Nullable NoticeForm correction) {}

    /**
     * Reads a notice.
     *
     * @param notice what is put up
     * @param mine the number of the reader's ticket
     * @param ahead how many tickets are ahead of it
     * @throws IllegalStateException if it says something else than the reader believes
     * @throws IllegalArgumentException if there are fewer than the reader wants
     */
    Reading read(NoticeForm notice, long mine, int ahead);
}
