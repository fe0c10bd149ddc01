package io.wellkeeper.jdbc;

import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The id of a ticket is {@code number:session:request:generation}. The generation counts its replacements. */
final class TicketIds {

    private static final int WIDTH = 6; // columns of a ticket in a row

    private TicketIds() {}

    /** The id of the ticket in a row that begins with number, generation, session and request. */
    static String of(Object[] row) {
        return row[0] + ":" + row[2] + ":" + row[3] + ":" + row[1];
    }

    /** The ticket in such a row, which goes on with mode and permits. */
    static Ticket ticket(Object[] row) {
        Mode mode = Mode.values()[((Number) row[4]).intValue()];
        return new Ticket((Long) row[0], of(row), (String) row[2], mode, ((Number) row[5]).intValue());
    }

    static List<Ticket> tickets(List<Object[]> rows) {
        List<Ticket> tickets = new ArrayList<>(rows.size());
        rows.forEach(row -> tickets.add(ticket(row)));
        return tickets;
    }

    /** The tickets of a queue of words such as {@code number:session:request:generation:mode:permits}. */
    static List<Ticket> parse(String queue) {
        List<Object[]> rows = new ArrayList<>();
        spread(queue, new Object[0], rows);
        return tickets(rows);
    }

    /**
     * Makes a row of each word, and adds the same columns to each row.
     *
     * @param queue words with spaces between them
     * @param more columns that follow in each row
     * @param rows to be added to
     */
    static void spread(String queue, @Nullable Object[] more, List<Object[]> rows) {
        for (String word : queue.strip().split(" ")) {
            if (!word.isEmpty()) {
                rows.add(row(word, more));
            }
        }
    }

    /** A row of number, generation, session, request, mode and permits of a word, and of further columns. */
    static @Nullable Object[] row(String word, @Nullable Object... more) {
        String[] parts = word.split(":", -1);
        @Nullable
        Object[] row = Arrays.copyOf(
                new Object[] {
                    Long.valueOf(parts[0]),
                    Integer.valueOf(parts[3]),
                    parts[1],
                    parts[2],
                    Integer.valueOf(parts[4]),
                    Integer.valueOf(parts[5])
                },
                WIDTH + more.length);
        System.arraycopy(more, 0, row, WIDTH, more.length);
        return row;
    }

    /** The word for a ticket in a queue. */
    static String word(Ticket ticket) {
        return ticket.id() + ":" + ticket.mode().ordinal() + ":" + ticket.permits();
    }

    /** The word for a ticket to be taken, without its number. */
    static String fresh(String session, TicketRequest request) {
        return session + ":" + request.id() + ":0:" + request.mode().ordinal() + ":" + request.permits();
    }

    /** The request that the ticket was taken by. */
    static String request(Ticket ticket) {
        return ticket.id().split(":", -1)[2];
    }

    /** The beginning that the id of a ticket and the ids of all its replacements have in common. */
    static String taken(String id) {
        return id.substring(0, id.lastIndexOf(':') + 1);
    }

    private static int generation(Ticket ticket) {
        return Integer.parseInt(ticket.id().substring(ticket.id().lastIndexOf(':') + 1));
    }

    /** The ticket that replaces this one. */
    static Ticket next(Ticket ticket, Mode mode, int permits) {
        String id = taken(ticket.id()) + (generation(ticket) + 1);
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
        parameters.put("request", request(ticket));
        parameters.put("word", word(ticket));
        return parameters;
    }
}
