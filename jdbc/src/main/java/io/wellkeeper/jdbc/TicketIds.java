package io.wellkeeper.jdbc;

import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Ticket;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What a ticket is called: {@code number:session:request:generation}. The generation counts its replacements. */
final class TicketIds {

    private TicketIds() {}

    /** Of a row that begins with number, generation, session and request. */
    static String of(Object[] row) {
        return row[0] + ":" + row[2] + ":" + row[3] + ":" + row[1];
    }

    /** Of a row that goes on with mode and permits. */
    static Ticket ticket(Object[] row) {
        Mode mode = Mode.values()[((Number) row[4]).intValue()];
        return new Ticket((Long) row[0], of(row), (String) row[2], mode, ((Number) row[5]).intValue());
    }

    static List<Ticket> tickets(List<Object[]> rows) {
        List<Ticket> tickets = new ArrayList<>(rows.size());
        rows.forEach(row -> tickets.add(ticket(row)));
        return tickets;
    }

    /** Of words such as {@code number:session:request:generation:mode:permits}. */
    static List<Ticket> parse(String queue) {
        List<Ticket> tickets = new ArrayList<>();
        for (String word : queue.split(" ")) {
            String[] parts = word.split(":", -1);
            tickets.add(ticket(new Object[] {
                Long.valueOf(parts[0]),
                parts[3],
                parts[1],
                parts[2],
                Integer.valueOf(parts[4]),
                Integer.valueOf(parts[5])
            }));
        }
        return tickets;
    }

    /** The request that the ticket was taken by. */
    static String request(Ticket ticket) {
        return ticket.id().split(":", -1)[2];
    }

    /** What its name, and that of whatever replaces it, begins with. */
    static String taken(Ticket ticket) {
        return ticket.id().substring(0, ticket.id().lastIndexOf(':') + 1);
    }

    private static int generation(Ticket ticket) {
        return Integer.parseInt(ticket.id().substring(ticket.id().lastIndexOf(':') + 1));
    }

    /** The ticket that replaces this one. */
    static Ticket next(Ticket ticket, Mode mode, int permits) {
        String id = taken(ticket) + (generation(ticket) + 1);
        return new Ticket(ticket.number(), id, ticket.session(), mode, permits);
    }

    /** The parameters of a statement about one ticket. */
    static Map<String, Object> parameters(String name, Ticket ticket) {
        Map<String, Object> parameters = new HashMap<>();
        parameters.put("name", name);
        parameters.put("number", ticket.number());
        parameters.put("generation", generation(ticket));
        parameters.put("owner", ticket.session());
        parameters.put("ticket", ticket.id());
        return parameters;
    }
}
