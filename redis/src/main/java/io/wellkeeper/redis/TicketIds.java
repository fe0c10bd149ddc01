package io.wellkeeper.redis;

import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Ticket;
import java.util.ArrayList;
import java.util.List;

/**
 * What a ticket is called in Redis: {@code number:session:request:generation:mode:permits}. The generation counts the
 * replacements of the ticket.
 */
final class TicketIds {

    private static final String MODES = "EWGUS"; // by the order of the modes
    private static final int PARTS = 6;

    private TicketIds() {}

    static Ticket parse(String id) {
        String[] parts = id.split(":", -1);
        try {
            if (parts.length == PARTS) {
                Mode mode = Mode.values()[MODES.indexOf(parts[4])];
                return new Ticket(Long.parseLong(parts[0]), id, parts[1], mode, Integer.parseInt(parts[5]));
            }
        } catch (NumberFormatException | IndexOutOfBoundsException wrong) {
            // said below
        }
        throw new LockStoreException("'" + id + "' in Redis is no ticket of Wellkeeper's");
    }

    static List<Ticket> parse(List<?> ids) {
        List<Ticket> tickets = new ArrayList<>(ids.size());
        for (Object id : ids) {
            tickets.add(parse((String) id));
        }
        return tickets;
    }

    /** Tickets with a space between them. */
    static List<Ticket> all(String ids) {
        return ids.isEmpty() ? List.of() : parse(List.of(ids.split(" ")));
    }

    /** The end of a ticket's name. */
    static String shape(Mode mode, int permits) {
        return MODES.charAt(mode.ordinal()) + ":" + permits;
    }

    /** The request that the ticket was taken by. */
    static String request(Ticket ticket) {
        return ticket.id().split(":", -1)[2];
    }

    /** What the ticket that replaces this one is called. */
    static String next(Ticket ticket, Mode mode, int permits) {
        String[] parts = ticket.id().split(":", -1);
        int generation = Integer.parseInt(parts[3]) + 1;
        return parts[0] + ":" + parts[1] + ":" + parts[2] + ":" + generation + ":" + shape(mode, permits);
    }
}
