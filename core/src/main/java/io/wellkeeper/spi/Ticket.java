package io.wellkeeper.spi;

/**
 * One slip of the queue of one lock name. The smaller number is served first.
 *
 * <p>Two tickets are the same ticket exactly when {@code id} is the same.
 *
 * @param number the place in the queue: among live tickets of a name the order of numbers never changes
 * @param id what the store removes and watches: unique among all tickets of this name, the departed included
 * @param session the {@link Session#id()} of the one who took it
 * @param mode whom it tolerates beside itself
 * @param permits how much of the resource it wants, 1 or more
 */
public record Ticket(long number, String id, String session, Mode mode, int permits) implements Comparable<Ticket> {

    /**
     * {@return whether another ticket may be put {@linkplain TicketQueue#replace in its place}, so that its departure does
     * not mean that its place is empty}
     */
    public boolean isReplaceable() {
        return mode == Mode.WRITE || permits > 1;
    }

    @Override
    public int compareTo(Ticket other) {
        return Long.compare(number, other.number);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Ticket t && id.equals(t.id);
    }

    @Override
    public int hashCode() {
        return id.hashCode();
    }
}
