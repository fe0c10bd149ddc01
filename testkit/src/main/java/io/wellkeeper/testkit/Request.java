package io.wellkeeper.testkit;

/** The kinds of requests to an {@link InMemoryServer}. Each request is one round trip. */
public enum Request {
    /** {@link io.wellkeeper.spi.TicketStore#open}. */
    OPEN,
    /** {@link io.wellkeeper.spi.Session#heartbeat}. */
    HEARTBEAT,
    /** {@link io.wellkeeper.spi.Session#names}. */
    NAMES,
    /** {@link io.wellkeeper.spi.Session#close}. */
    CLOSE,
    /** {@link io.wellkeeper.spi.TicketQueue#take}; counts once more when the reply was lost. */
    TAKE,
    /** {@link io.wellkeeper.spi.TicketQueue#tickets}. */
    TICKETS,
    /** {@link io.wellkeeper.spi.TicketQueue#inspect}. */
    INSPECT,
    /** {@link io.wellkeeper.spi.TicketQueue#remove}. */
    REMOVE,
    /** {@link io.wellkeeper.spi.TicketQueue#onDeparture} and {@link io.wellkeeper.spi.TicketQueue#onNotice}. */
    WATCH,
    /** The end of a watch. */
    UNWATCH,
    /** {@link io.wellkeeper.spi.TicketQueue#alone}. */
    ALONE,
    /** {@link io.wellkeeper.spi.TicketQueue#replace}; counts once more when the reply was lost. */
    REPLACE,
    /** {@link io.wellkeeper.spi.TicketQueue#describe}. */
    DESCRIBE,
    /** {@link io.wellkeeper.spi.TicketQueue#notice}. */
    NOTICE,
    /** {@link io.wellkeeper.spi.TicketQueue#post}. */
    POST,
    /** {@link io.wellkeeper.spi.LeaseStore#tryAcquire}. */
    TRY_ACQUIRE,
    /** {@link io.wellkeeper.spi.LeaseStore#renew}. */
    RENEW,
    /** {@link io.wellkeeper.spi.LeaseStore#release}. */
    RELEASE;

    /** Whether such a request does not fail when the connection breaks, but arrives when the connection is back. */
    boolean isRepeated() {
        return this == TAKE || this == REPLACE || this == WATCH || this == UNWATCH;
    }
}
