package io.wellkeeper.spi;

/** Which tickets a ticket tolerates beside itself. A store keeps the mode and shows it; only the core interprets it. */
public enum Mode {
    /** Nobody, or as many as the permits allow. */
    EXCLUSIVE,
    /** Nobody; but it may be {@linkplain TicketQueue#replace replaced} by one that tolerates shared tickets. */
    WRITE,
    /** Shared tickets. */
    SHARED
}
