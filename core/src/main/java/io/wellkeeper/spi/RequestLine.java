package io.wellkeeper.spi;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The requests of a session that wait until its connection can take them. Requests about one lock keep their order, as
 * a {@link TicketQueue} demands; requests about different locks may overtake each other. The oldest request has every
 * second turn. The other turns go to locks with a waiting request that does not ask for a ticket. So a client that asks
 * for thousands of locks at once can still release locks, and learn which it has got; and a client that releases again
 * and again still gets the locks that it asks for.
 *
 * <p>All methods take time in the logarithm of the number of waiting requests, except {@link #clear}. Not thread-safe.
 *
 * @param <R> the type of the requests
 */
public final class RequestLine<R extends RequestLine.Request> {

    /** A request that can stand in such a line; what it says must not change while it does. */
    public interface Request {

        /**
         * What it is about: those about equal ones keep their order.
         *
         * @return null if its order does not matter
         */
        @Nullable
        Object lock();

        /**
         * Whether it asks for a ticket, or reads something together with a ticket.
         *
         * @return true if other kinds of requests may overtake it
         */
        boolean isTaking();

        /**
         * Whether an attempt may take long.
         *
         * @return true if requests about other locks should not wait for it
         */
        boolean isSlow();

        /**
         * When it was made.
         *
         * @return higher than those of older requests; no other request in the line has it
         */
        long number();
    }

    /** The requests about one lock, or one request whose order does not matter. */
    private static final class Lane<R extends Request> {

        final Deque<R> waiting = new ArrayDeque<>(); // never empty outside of the methods of the line
        int urgent; // the number of requests that do not ask for a ticket

        boolean isUrgent() {
            return urgent > 0 && !waiting.getFirst().isSlow();
        }
    }

    private final Map<Object, Lane<R>> lanes = new HashMap<>(); // by lock
    private final NavigableMap<Long, Lane<R>> byAge = new TreeMap<>(); // all, by the number of the first request
    private final Set<Lane<R>> urgent = new LinkedHashSet<>();
    private boolean isTurnOfTheOldest;

    /** Makes one without requests. */
    public RequestLine() {}

    /**
     * Adds a request behind those about the same lock.
     *
     * @param request not in the line
     */
    public void add(R request) {
        Lane<R> lane = leave(request.lock());
        lane.waiting.addLast(request);
        enter(lane, request);
    }

    /**
     * Puts a request that was polled, but could not be carried out, back before the other requests about the same lock.
     *
     * @param request not in the line; give it a new number if requests about other locks are to go first
     */
    public void putBack(R request) {
        Lane<R> lane = leave(request.lock());
        lane.waiting.addFirst(request);
        enter(lane, request);
    }

    /**
     * Whether nothing waits.
     *
     * @return true if {@link #poll()} would return null
     */
    public boolean isEmpty() {
        return byAge.isEmpty();
    }

    /**
     * Removes the request whose turn it is.
     *
     * @return null if nothing waits
     */
    public @Nullable R poll() {
        if (byAge.isEmpty()) {
            return null;
        }
        boolean oldest = isTurnOfTheOldest || urgent.isEmpty();
        isTurnOfTheOldest = !oldest;
        return poll(oldest ? byAge.firstEntry().getValue() : urgent.iterator().next());
    }

    /**
     * Removes the first request about a lock, though it may not be its turn.
     *
     * @param lock as {@link Request#lock}
     * @return null if none waits
     */
    public @Nullable R poll(Object lock) {
        Lane<R> lane = lanes.get(lock);
        return lane == null ? null : poll(lane);
    }

    /**
     * The first request about a lock.
     *
     * @param lock as {@link Request#lock}
     * @return null if none waits
     */
    public @Nullable R peekFirst(Object lock) {
        Lane<R> lane = lanes.get(lock);
        return lane == null ? null : lane.waiting.getFirst();
    }

    /**
     * Removes all requests.
     *
     * @return them; those about one lock in their order
     */
    public List<R> clear() {
        List<R> all = new ArrayList<>();
        byAge.values().forEach(lane -> all.addAll(lane.waiting));
        lanes.clear();
        byAge.clear();
        urgent.clear();
        return all;
    }

    private R poll(Lane<R> lane) {
        R first = lane.waiting.remove();
        byAge.remove(first.number());
        lane.urgent -= first.isTaking() ? 0 : 1;
        urgent.remove(lane); // it goes to the end of the urgent lanes, if it is urgent again
        if (lane.waiting.isEmpty()) {
            lanes.remove(first.lock(), lane);
        } else {
            sort(lane);
        }
        return first;
    }

    /**
     * The lane of a lock, taken out of the order because it is about to change; a new lane for a request without a
     * lock.
     */
    private Lane<R> leave(@Nullable Object lock) {
        Lane<R> lane = lock == null ? new Lane<>() : lanes.computeIfAbsent(lock, unused -> new Lane<>());
        if (!lane.waiting.isEmpty()) {
            byAge.remove(lane.waiting.getFirst().number());
        }
        return lane;
    }

    private void enter(Lane<R> lane, R more) {
        lane.urgent += more.isTaking() ? 0 : 1;
        sort(lane);
    }

    private void sort(Lane<R> lane) {
        byAge.put(lane.waiting.getFirst().number(), lane);
        if (lane.isUrgent()) {
            urgent.add(lane);
        } else {
            urgent.remove(lane);
        }
    }
}
