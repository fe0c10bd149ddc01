package io.wellkeeper.zookeeper;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.OptionalLong;

/**
 * Decides which answers of the servers prove enough. Let <i>T</i> be the negotiated session timeout.
 *
 * <p><b>Another leader</b> counts <i>T</i> anew for every session when it begins to lead, which is after a majority has
 * left the leader before it. So a request that only a majority can carry out, which is each that may change something,
 * proves that no other leader ends the session before <i>T</i> has passed since it was sent. A {@code sync} or a read
 * does not prove this: a leader that has lost its followers answers them until it notices, while another one leads
 * already. They suffice only for a session that has no ticket or lease yet. Such a session is granted one after a
 * request of its own that only a majority can carry out. If that request was sent later than the {@code sync}, it was
 * answered by the leader to which the {@code sync} had gone, or by one that has taken up this session since.
 *
 * <p><b>The same leader</b> counts <i>T</i> from the moment when it last heard of the session, and no such request
 * counts as hearing of it. It hears when the follower reports which of its sessions were active. The follower does so
 * once in half a tick of the server, and a session lasts at least two ticks: so the report comes within <i>T</i>/4. If
 * the follower is cut off from the leader right after a request, the leader counts <i>T</i> from the report before.
 *
 * <p>So an answer is taken as proof only if an earlier contact is known to have been reported: one that was sent at most
 * 11<i>T</i>/24 before, and acknowledged at least <i>T</i>/4 before. Then the leader keeps the session until
 * 13<i>T</i>/24 after the later one was sent, at least. <i>T</i>/24 of it goes to clocks that run at different speeds;
 * <b><i>T</i>/2</b> remains. With a contact every <b><i>T</i>/8</b> the last but two qualifies whenever the round trip
 * stays below <i>T</i>/8. When there is none, because the connection was slow or nothing was sent for a while, the
 * answer is confirmed by another, to a request that is sent <i>T</i>/4 after the first was answered.
 *
 * <p>The beginning of a session and a reconnect reach the leader itself, so they need no report. A reconnect is later
 * than the sending of every request that failed with the connection before, and earlier than every answer that comes
 * after it.
 */
final class LeaderContact {

    private static final Duration RECONNECT = Duration.ofMillis(1_100);

    private final long timeoutNanos;
    private final Deque<Contact> contacts = new ArrayDeque<>(); // guarded by this
    private long latest; // guarded by this: the latest sending time of all requests that were answered or failed

    /**
     * The leader has heard of the session after {@code nanos}. That is certain for each request that was sent after
     * {@code known} and is answered from now on.
     */
    private record Contact(long nanos, long known) {}

    /**
     * @param timeout the negotiated session timeout
     * @param openedAt before the session was opened, or taken up again
     */
    LeaderContact(Duration timeout, long openedAt) {
        this.timeoutNanos = timeout.toNanos();
        this.latest = openedAt;
        contacts.add(new Contact(openedAt, openedAt));
    }

    static Duration validity(Duration timeout) {
        return timeout.dividedBy(2);
    }

    static Duration interval(Duration timeout) {
        return timeout.dividedBy(8);
    }

    /**
     * The client leaves a server that has answered nothing for so long after a heartbeat was sent. If the last
     * heartbeat that was answered was sent {@link #interval} before that one, 3<i>T</i>/16 of its validity remain then.
     */
    static Duration silence(Duration timeout) {
        return timeout.multipliedBy(3).dividedBy(16);
    }

    /** Whether that remaining time is enough: ZooKeeper's client pauses for up to a second before it connects again. */
    static boolean canReconnectInTime(Duration timeout) {
        return silence(timeout).compareTo(RECONNECT) >= 0;
    }

    /** How long it takes at most until a follower has reported to the leader that the session was active. */
    Duration reporting() {
        return Duration.ofNanos(timeoutNanos / 4);
    }

    /** A request that was sent at this time has failed, because the connection broke. */
    synchronized void broke(long sent) {
        latest = later(sent, latest);
    }

    /**
     * The session was taken up again. This happened after all requests that are over by now were sent, and before each
     * answer from now on.
     *
     * @param since a moment before the session was taken up again, if one is known
     */
    synchronized void reconnected(OptionalLong since) {
        contacts.add(new Contact(later(since.orElse(latest), latest), latest));
    }

    private static long later(long one, long other) {
        return one - other > 0 ? one : other;
    }

    /**
     * A request was answered.
     *
     * @param sent when it was sent
     * @param now when it was answered
     * @return whether it is certain that the leader and, for a request that only a majority could carry out, every
     *     later leader keep the session until {@link #validity} has passed since {@code sent}; if not, this is certain
     *     once another request has been answered that was sent {@link #reporting} after this answer
     */
    synchronized boolean acknowledged(long sent, long now) {
        contacts.removeIf(contact -> sent - contact.nanos > timeoutNanos / 24 * 11);
        boolean proved = contacts.stream().anyMatch(contact -> contact.known - sent <= 0);
        heard(sent, now);
        return proved;
    }

    /**
     * Any request was answered, by the leader, or by a follower that will report it. Parameters as {@link
     * #acknowledged}.
     */
    synchronized void heard(long sent, long now) {
        latest = later(sent, latest);
        Contact last = contacts.peekLast();
        if (last == null || sent - last.nanos > timeoutNanos / 96) {
            contacts.removeIf(contact -> sent - contact.nanos > timeoutNanos / 24 * 11);
            contacts.add(new Contact(sent, now + reporting().toNanos()));
        }
    }
}
