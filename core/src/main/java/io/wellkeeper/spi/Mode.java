package io.wellkeeper.spi;

/** Whom a ticket tolerates beside itself. A store keeps the mode and shows it; what it means is the core's affair. */
public enum Mode {
    /** Nobody, or as many as the permits allow. */
    EXCLUSIVE,
    /** Nobody; but it may be {@linkplain TicketQueue#replace replaced} by one that tolerates shared tickets. */
    WRITE,
    /** Shared tickets. */
    SHARED
}
