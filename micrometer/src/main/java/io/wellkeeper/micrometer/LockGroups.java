package io.wellkeeper.micrometer;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Maps the name of a lock to a group, which replaces the name in metrics. There may be as many names as there are
 * orders, and each value of a tag costs memory for ever, here and where the metrics are kept. Thread-safe.
 *
 * <p>Every part of a name that looks like a key becomes {@code *}: UUIDs, words that are hexadecimal numbers (with a
 * digit in them, or of 8 letters and more) and every run of digits. {@code orders/42} and {@code orders/43} are {@code
 * orders/*}, and {@code tenant7:job-1f3a} is {@code tenant*:job-*}. You can give another function instead.
 *
 * <p>The number of groups is bounded; all names that would need a further group belong to {@link #OTHER}.
 */
public final class LockGroups {

    /** The group of all names for which there is no more room. */
    public static final String OTHER = "other";

    /** How many groups there are by default, {@link #OTHER} not counted. */
    public static final int MOST = 100;

    private static final int PLACES = 1_024; // a power of two; each has room for two names

    private final UnaryOperator<String> grouping;
    private final Semaphore room;
    private final ConcurrentMap<String, String> groups = new ConcurrentHashMap<>(); // each group maps to itself
    private final AtomicReferenceArray<@Nullable Known> known = new AtomicReferenceArray<>(2 * PLACES);

    /**
     * A name that was asked for, and its group. A place keeps the last two names whose hashes belong there, the later
     * one first; a third name displaces the earlier one. A race of two threads may displace a name sooner, which costs
     * no more than finding its group again. The answer for a name is the same again then: no group ever gets room that
     * it did not get at first.
     */
    private record Known(String name, String group) {}

    /** At most {@value #MOST} groups, with {@code *} for each part that looks like a key. */
    public LockGroups() {
        this(Keys::leaveOut, MOST);
    }

    /**
     * @param grouping returns the group of a name; called by many threads
     * @param most how many groups there may be
     * @throws IllegalArgumentException if {@code most} is negative
     */
    public LockGroups(UnaryOperator<String> grouping, int most) {
        if (most < 0) {
            throw new IllegalArgumentException("at most " + most + " groups");
        }
        this.grouping = grouping;
        this.room = new Semaphore(most);
    }

    /**
     * {@return the group of a name}
     *
     * @param name the lock's name
     */
    public String of(String name) {
        int hash = name.hashCode();
        int place = (hash ^ hash >>> 16) * 2 & 2 * PLACES - 2;
        Known last = known.getAcquire(place);
        if (last != null && last.name.equals(name)) {
            return last.group;
        }
        Known before = known.getAcquire(place + 1);
        Known found =
                before != null && before.name.equals(name) ? before : new Known(name, admit(grouping.apply(name)));
        known.setRelease(place + 1, last);
        known.setRelease(place, found);
        return found.group;
    }

    private String admit(String group) {
        String admitted = groups.get(group);
        if (admitted != null) {
            return admitted;
        }
        groups.computeIfAbsent(group, fresh -> room.tryAcquire() ? fresh : null);
        return groups.getOrDefault(group, OTHER);
    }
}
