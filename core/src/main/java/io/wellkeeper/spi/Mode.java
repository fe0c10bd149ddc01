package io.wellkeeper.spi;

/** Whom a ticket tolerates beside itself. */
public enum Mode {
    /** Nobody, or as many as the permits allow. */
    EXCLUSIVE,
    /** Other shared tickets. */
    SHARED
}
