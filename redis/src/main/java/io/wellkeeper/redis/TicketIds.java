package io.wellkeeper.redis;

import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Ticket;
import java.util.Optional;

/**
 * The id of a ticket in Redis: {@code number:session:request:generation:mode:permits}. The generation counts the
 * replacements of the ticket.
 */
final class TicketIds {

    private static final String LETTERS = "EWS"; // by the order of the modes
    private static final Mode[] MODES = Mode.values();

    private TicketIds() {}

    static Ticket parse(String id) {
        return read(id).orElseThrow(() -> new LockStoreException("'" + id + "' in Redis is no ticket of Wellkeeper's"));
    }

    /** The ticket of this id; empty if it is no ticket, but something that another program has put there. */
    static Optional<Ticket> read(String id) {
        int session = id.indexOf(':') + 1;
        int request = id.indexOf(':', session) + 1;
        int generation = id.indexOf(':', request) + 1;
        int mode = id.indexOf(':', generation) + 1;
        int permits = mode + 2;
        try {
            if (session > 0 && request > 0 && generation > 0 && mode > 0 && id.indexOf(':', mode) == permits - 1) {
                return Optional.of(new Ticket(
                        Long.parseLong(id, 0, session - 1, 10),
                        id,
                        id.substring(session, request - 1),
                        MODES[LETTERS.indexOf(id.charAt(mode))],
                        Integer.parseInt(id, permits, id.length(), 10)));
            }
        } catch (NumberFormatException | IndexOutOfBoundsException wrong) {
            // it is no ticket
        }
        return Optional.empty();
    }

    /** The end of a ticket's id. */
    static String shape(Mode mode, int permits) {
        return LETTERS.charAt(mode.ordinal()) + ":" + permits;
    }

    /** The request that the ticket was taken by. */
    static String request(Ticket ticket) {
        return ticket.id().split(":", -1)[2];
    }

    /** The id of the ticket that replaces this one. */
    static String next(Ticket ticket, Mode mode, int permits) {
        String[] parts = ticket.id().split(":", -1);
        int generation = Integer.parseInt(parts[3]) + 1;
        return parts[0] + ":" + parts[1] + ":" + parts[2] + ":" + generation + ":" + shape(mode, permits);
    }
}
