package io.wellkeeper.zookeeper;

import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketRequest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * From a ticket to the name of its node and back: {@code <session>-<request>-<mode><permits>-<sequence>}, such as
 * {@code 2f8k1q0z7m3tb-17-x1-0000000042}, where the sequence is ZooKeeper's and the mode is {@code x} for exclusive,
 * {@code w} for write or {@code s} for shared, and a capital letter where the node's {@code czxid} may not be the ticket's
 * token. So one listing tells whose every ticket is and what it wants.
 */
final class TicketNodes {

    private static final int SEQUENCE_DIGITS = 10;
    private static final String LETTERS = "xws"; // in the order of the modes
    private static final String OVER = "-over";

    private TicketNodes() {}

    /** The prefix of the names of a session's nodes, and of no other session's. */
    static String prefix(String session) {
        return session + '-';
    }

    /** The prefix of the names of a request's nodes, and of no other request's. */
    static String prefix(String session, TicketRequest request) {
        return prefix(session) + request.id() + '-';
    }

    /**
     * The name to create, to which ZooKeeper appends the sequence.
     *
     * @param ownToken whether the token is the {@code czxid} of the node
     */
    static String name(String session, TicketRequest request, boolean ownToken) {
        char letter = letter(request.mode());
        return prefix(session, request) + (ownToken ? letter : Character.toUpperCase(letter)) + request.permits() + '-';
    }

    /**
     * The {@linkplain Room room} that a ticket takes.
     *
     * @param path of its node, without the sequence
     */
    static int sizeOf(String path) {
        return Room.sizeOf(path) + SEQUENCE_DIGITS;
    }

    /** Whether the {@code czxid} of its node is the ticket's token. */
    static boolean hasOwnToken(Ticket ticket) {
        return Character.isLowerCase(ticket.id().split("-", -1)[2].charAt(0));
    }

    /** A ticket with the same session, request and number. */
    static Ticket milder(Ticket old, Mode mode, int permits) {
        if (old.mode() == mode && old.permits() == permits) {
            return old;
        }
        String[] parts = old.id().split("-", -1);
        String id = parts[0] + '-' + parts[1] + '-' + Character.toUpperCase(letter(mode)) + permits + '-' + parts[3];
        return new Ticket(old.number(), id, old.session(), mode, permits);
    }

    private static char letter(Mode mode) {
        return LETTERS.charAt(mode.ordinal());
    }

    /**
     * The ticket of a node.
     *
     * @param node its name
     * @return empty for a node that is no ticket, and for one whose sequence has overflowed
     */
    static Optional<Ticket> parse(String node) {
        String[] parts = node.split("-", -1);
        if (parts.length != 4
                || parts[0].isEmpty()
                || parts[1].isEmpty()
                || parts[2].length() < 2
                || parts[3].length() != SEQUENCE_DIGITS) {
            return Optional.empty();
        }
        int mode = LETTERS.indexOf(Character.toLowerCase(parts[2].charAt(0)));
        String permits = parts[2].substring(1);
        if (mode < 0 || permits.charAt(0) == '0' || !digits(permits) || !digits(parts[3])) {
            return Optional.empty();
        }
        long number = Long.parseLong(parts[3]);
        try {
            return Optional.of(new Ticket(number, node, parts[0], Mode.values()[mode], Integer.parseInt(permits)));
        } catch (NumberFormatException tooLarge) {
            return Optional.empty();
        }
    }

    /** The tickets among the nodes, smallest number first. */
    static List<Ticket> parse(List<String> nodes) {
        List<Ticket> tickets = new ArrayList<>(nodes.size());
        for (String node : nodes) {
            parse(node).ifPresent(tickets::add);
        }
        Collections.sort(tickets);
        return tickets;
    }

    /**
     * The tickets that count, smallest number first: the first ticket of each request, unless a node says that the
     * request {@linkplain #over is over}. Other tickets come from a request that was sent several times; clients ignore
     * them until they are removed.
     *
     * @param nodes all that are in a queue
     */
    static List<Ticket> counting(List<String> nodes) {
        Set<String> requests = new HashSet<>(2 * nodes.size());
        for (String node : nodes) {
            if (node.endsWith(OVER)) {
                requests.add(node.substring(0, node.length() - OVER.length()));
            }
        }
        return parse(nodes).stream()
                .filter(ticket -> requests.add(requestOf(ticket.id())))
                .toList();
    }

    /**
     * The name of the node which says that the ticket of a request has been given back, so that none of it counts that comes
     * afterwards. It is no ticket's.
     *
     * @param ticket the name of a node of that request
     */
    static String over(String ticket) {
        return requestOf(ticket) + OVER;
    }

    /** The same with paths. */
    static String overPath(String ticket) {
        int name = ticket.lastIndexOf('/') + 1;
        return ticket.substring(0, name) + over(ticket.substring(name));
    }

    private static String requestOf(String node) {
        return node.substring(0, node.indexOf('-', node.indexOf('-') + 1));
    }

    private static boolean digits(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) < '0' || text.charAt(i) > '9') {
                return false;
            }
        }
        return true;
    }
}
