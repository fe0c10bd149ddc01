package io.wellkeeper.spi;

import java.util.List;

/**
 * What {@link TicketQueue#take} found.
 *
 * @param ticket the ticket that was taken
 * @param token the store's fencing token of this ticket: larger than that of every ticket of this name that was ever
 *     taken before, also after the queue emptied or the store restarted; at most {@link #MAX_TOKEN}
 * @param ahead every living ticket with a smaller number, smallest first; it may still show the departed, as {@link
 *     TicketQueue#tickets} may
 */
public record Place(Ticket ticket, long token, List<Ticket> ahead) {

    /** The largest token a store may give: the six bits above it count the grants of one ticket. */
    public static final long MAX_TOKEN = Long.MAX_VALUE >> 6;

    /**
     * Refuses a token that is out of range, and makes the list immutable.
     *
     * @param ticket the ticket that was taken
     * @param token 0 to {@link #MAX_TOKEN}
     * @param ahead copied
     * @throws IllegalArgumentException if the token is anything else
     */
    public Place {
        checkToken(token);
        ahead = List.copyOf(ahead);
    }

    static void checkToken(long token) {
        if (token < 0 || token > MAX_TOKEN) {
            throw new IllegalArgumentException("token " + token + " is not between 0 and " + MAX_TOKEN);
        }
    }
}
