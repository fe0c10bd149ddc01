package io.wellkeeper.redis;

import java.time.Duration;

/**
 * How many requests of one connection may be under way at a time. A server answers the requests of a connection in
 * order, so a heartbeat waits only for the answers to the requests under way, however many locks are asked for at once.
 *
 * <p>If answers take long, because the server is slow or has much to do, as when thousands wait for one lock, fewer
 * requests may be under way. The same holds after a connection was lost while many were under way: a server closes a
 * connection for which it has to buffer more output than it may, and would do so again.
 *
 * <p>The size grows by one with each answer and is halved when congestion shows, as the congestion window of TCP (RFC 5681). Not
 * thread-safe.
 */
final class Window {

    private static final int WIDEST = 128; // so many requests keep a server busy
    private static final int CALM = 1_000; // after so many answers by one connection, the ceiling is raised again

    private final int narrowest;
    private final long slowNanos;
    private int underWay; // requests that this connection was given, and that have not been answered
    private int size = WIDEST;
    private int ceiling = WIDEST; // of the size
    private int answers; // since a connection was lost

    /**
     * @param narrowest how many requests may be under way however long answers take
     * @param slow after an answer that takes longer, fewer requests may be under way
     */
    Window(int narrowest, Duration slow) {
        this.narrowest = narrowest;
        this.slowNanos = slow.toNanos();
    }

    /** A new connection has nothing under way. */
    void opened() {
        underWay = 0;
    }

    void sent() {
        underWay++;
    }

    /**
     * @param nanos since the request was sent
     */
    void answered(long nanos) {
        underWay--;
        if (++answers % CALM == 0) {
            ceiling = Math.min(WIDEST, ceiling * 2);
        }
        size = nanos > slowNanos ? Math.max(narrowest, size / 2) : Math.min(ceiling, size + 1);
    }

    /**
     * @param broken whether the connection was lost, rather than left by this side
     */
    void closed(boolean broken) {
        if (broken && !isHalfEmpty()) {
            ceiling = Math.max(narrowest, ceiling / 2);
            size = Math.min(size, ceiling);
        }
        answers = 0;
    }

    boolean hasRoom() {
        return underWay < size;
    }

    /** Then several requests can be sent at once, which costs less than one after each answer. */
    boolean isHalfEmpty() {
        return underWay <= size / 2;
    }

    boolean isEmpty() {
        return underWay == 0;
    }
}
