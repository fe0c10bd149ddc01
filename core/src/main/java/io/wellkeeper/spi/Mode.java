package io.wellkeeper.spi;

/** Whom a ticket tolerates beside itself. A store keeps the mode and shows it; what it means is the core's affair. */
public enum Mode {
    /** Nobody, or as many as the permits allow. */
    EXCLUSIVE,
    /** Nobody; but it may be {@linkplain TicketQueue#replace replaced} by one that does. */
    WRITE,
    /** Nobody but the upgradeable ticket of the same session, which is becoming a writer by it. */
    UPGRADE,
    /** Shared tickets, but no other upgradeable one. */
    UPGRADEABLE,
    /** Shared tickets, and an upgradeable one. */
    SHARED;

    /** Whether it tolerates readers. */
    public boolean toleratesReaders() {
        return this == UPGRADEABLE || this == SHARED;
    }
}
