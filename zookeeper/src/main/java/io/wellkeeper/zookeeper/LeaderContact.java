package io.wellkeeper.zookeeper;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Decides which acknowledged heartbeats prove enough. Let <i>T</i> be the negotiated session timeout.
 *
 * <p>A heartbeat is a {@code sync}. The leader answers it only for a session that it has not ended, in order with the
 * session's end; a read would prove less, because a follower that has lost the leader goes on answering reads while the
 * leader ends the session. But a {@code sync} does not make the session live longer at the leader. That happens when the
 * follower reports which of its sessions were heard of, which it does once in half a tick of the server, and a session
 * lasts at least two ticks: so within <i>T</i>/4. If the follower is cut off from the leader right after a
 * {@code sync}, the leader counts <i>T</i> from what was reported before.
 *
 * <p>So a heartbeat is taken as proof only if an earlier one is known to have been reported: it was sent at most
 * 11<i>T</i>/24 before, and acknowledged at least <i>T</i>/4 before. Then the leader keeps the session until
 * 13<i>T</i>/24 after the later one was sent, at least. <i>T</i>/24 of it goes to clocks that run at different speeds;
 * <b><i>T</i>/2</b> remains. With a heartbeat every <b><i>T</i>/8</b> the last but two qualifies whenever the round trip
 * stays below <i>T</i>/8. When there is none, because the connection was slow or nothing was sent for a while, the
 * heartbeat is confirmed by another {@code sync}, sent <i>T</i>/4 after the first was acknowledged.
 *
 * <p>The beginning of a session and a reconnect reach the leader itself, so they need no report.
 */
final class LeaderContact {

    private final long timeoutNanos;
    private final Deque<Contact> contacts = new ArrayDeque<>(); // guarded by this

    /** The leader has heard of the session after {@code nanos}, as is certain for what is sent after {@code known}. */
    private record Contact(long nanos, long known) {}

    /**
     * @param timeout the negotiated session timeout
     * @param openedAt before the session was opened, or taken up again
     */
    LeaderContact(Duration timeout, long openedAt) {
        this.timeoutNanos = timeout.toNanos();
        contacts.add(new Contact(openedAt, openedAt));
    }

    static Duration validity(Duration timeout) {
        return timeout.dividedBy(2);
    }

    static Duration interval(Duration timeout) {
        return timeout.dividedBy(8);
    }

    /** How long it takes at most until the leader has been told that the session was heard of. */
    Duration reporting() {
        return Duration.ofNanos(timeoutNanos / 4);
    }

    /**
     * The session was taken up again, which was after the last heartbeat that was acknowledged.
     *
     * @param now at the latest
     */
    synchronized void reconnected(long now) {
        Contact last = contacts.peekLast();
        if (last != null) {
            contacts.add(new Contact(last.nanos, now));
        }
    }

    /**
     * A heartbeat was acknowledged.
     *
     * @param sent when it was sent
     * @param now when it was acknowledged
     * @return whether nobody else can be granted what the session holds before {@link #validity} has passed since it was
     *     sent; if not, this is certain once another has been acknowledged that was sent {@link #reporting} later
     */
    synchronized boolean acknowledged(long sent, long now) {
        contacts.removeIf(contact -> sent - contact.nanos > timeoutNanos / 24 * 11);
        boolean proved = contacts.stream().anyMatch(contact -> contact.known - sent <= 0);
        contacts.add(new Contact(sent, now + reporting().toNanos()));
        return proved;
    }
}
