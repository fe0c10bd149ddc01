package io.wellkeeper.testkit;

/** What is asked of an {@link InMemoryServer}; each is one round trip. */
public enum Request {
    /** {@link io.wellkeeper.spi.TicketStore#open}. */
    OPEN,
    /** {@link io.wellkeeper.spi.Session#heartbeat}. */
    HEARTBEAT,
    /** {@link io.wellkeeper.spi.Session#names}. */
    NAMES,
    /** {@link io.wellkeeper.spi.Session#close}. */
    CLOSE,
    /** {@link io.wellkeeper.spi.TicketQueue#take}; one more when the reply was lost. */
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
    /** {@link io.wellkeeper.spi.TicketQueue#replace}; one more when the reply was lost. */
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

    /** Whether it survives a broken connection: it is sent again when the connection is back. */
    boolean isRepeated() {
        return this == TAKE || this == REPLACE || this == WATCH || this == UNWATCH;
    }
}
