package io.wellkeeper.redis;

import java.time.Duration;

/**
 * How many requests of one connection may be under way at a time. A server answers a connection in the order of its requests, so
 * a heartbeat waits for the answers to those under way and to no others, however many locks are asked for at once.
 *
 * <p>If answers take long, because the server is slow or because it is asked for much, as by thousands who wait for one lock, fewer
 * may be under way. So it is after a connection that was lost while many were: a server hangs up on those to whom it has more to
 * say than it may keep for them, and would do so again.
 *
 * <p>The size grows by one with each answer and is halved when congestion shows, as the congestion window of TCP (RFC 5681). Not
 * thread-safe.
 */
final class Window {

    private static final int WIDEST = 128; // so many keep a server busy
    private static final int CALM = 1_000; // after so many answers by one connection, the ceiling is raised again

    private final int narrowest;
    private final long slowNanos;
    private int underWay; // requests that this connection was given, and that have not been answered
    private int size = WIDEST;
    private int ceiling = WIDEST; // of the size
    private int answers; // since a connection was lost

    /**
     * @param narrowest how many may be under way however long answers take
     * @param slow an answer that takes longer lets fewer be under way
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
     * @param broken whether the connection was lost, and not left
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
