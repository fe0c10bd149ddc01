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
 * The requests of a session that wait until its connection can take them: a queue in which those about one lock keep their order,
 * as a {@link TicketQueue} demands, and those about different locks do not. The oldest request has every second turn; the other
 * turns are for the locks about which something else is asked than for another ticket. So a client that asks for thousands of
 * locks at once gives back meanwhile what it has, and learns what it has got; and a client that gives back again and again still
 * gets what it asks for.
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
         * Whether it asks for a ticket, or for what is to be read with one.
         *
         * @return true if it lets pass what asks for something else
         */
        boolean isTaking();

        /**
         * Whether an attempt may take long.
         *
         * @return true if those about other locks are not to wait for it
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
        int urgent; // how many of them ask for something else than a ticket

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
     * Puts a request before those about the same lock, as it was polled before them and could not be carried out.
     *
     * @param request not in the line; with a number as of now if it is to let those about other locks pass
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
        urgent.remove(lane); // to the end of those, if it is one of them again
        if (lane.waiting.isEmpty()) {
            lanes.remove(first.lock(), lane);
        } else {
            sort(lane);
        }
        return first;
    }

    /** The lane of the requests about a lock, which is about to change; one of its own for what is about none. */
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
