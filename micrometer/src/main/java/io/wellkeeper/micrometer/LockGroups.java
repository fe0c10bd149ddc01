package io.wellkeeper.micrometer;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/**
 * The group of a lock's name, which stands for it in metrics: names may be as many as there are orders, and each value of a
 * tag costs memory for ever, here and where metrics are kept. Thread-safe.
 *
 * <p>What looks like the key of something becomes {@code *}: UUIDs, words that are hexadecimal numbers (with a digit in them,
 * or of 8 letters and more) and every run of digits. {@code orders/42} and {@code orders/43} are {@code orders/*}, and
 * {@code tenant7:job-1f3a} is {@code tenant*:job-*}. A function of your own may say it otherwise.
 *
 * <p>There are at most so many groups; the names of all that come later are {@link #OTHER}.
 */
public final class LockGroups {

    /** The group of all names for which there is no room. */
    public static final String OTHER = "other";

    /** How many groups there are by default, {@link #OTHER} not counted. */
    public static final int MOST = 100;

    private static final int REMEMBERED_NAMES = 1_000; // by each of two maps
    private static final Pattern KEY = Pattern.compile("(?<![\\p{L}\\p{Nd}])(?:"
            + "\\p{XDigit}{8}(?:-\\p{XDigit}{4}){3}-\\p{XDigit}{12}|\\p{XDigit}*[0-9]\\p{XDigit}*|\\p{XDigit}{8,})"
            + "(?![\\p{L}\\p{Nd}])|\\p{Nd}+");

    private final UnaryOperator<String> grouping;
    private final Semaphore room;
    private final ConcurrentMap<String, String> groups = new ConcurrentHashMap<>(); // each by itself
    private final AtomicReference<Names> names =
            new AtomicReference<>(new Names(new ConcurrentHashMap<>(), new ConcurrentHashMap<>()));

    /**
     * The groups of the names that were asked for last. When there are enough of the newer ones, the older ones are forgotten,
     * and the newer become the older. What was said of a name is said again when it has been forgotten: no group ever gets
     * room that it did not get at first.
     */
    private record Names(ConcurrentMap<String, String> newer, ConcurrentMap<String, String> older) {}

    /** At most {@value #MOST} groups, with {@code *} for what looks like a key. */
    public LockGroups() {
        this(name -> KEY.matcher(name).replaceAll("*"), MOST);
    }

    /**
     * @param grouping the group of a name; called from many threads
     * @param most how many groups there may be
     * @throws IllegalArgumentException if there may be less than none
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
     * @param name the lock's
     */
    public String of(String name) {
        Names now = names.get();
        String known = now.newer.get(name);
        if (known != null) {
            return known;
        }
        String before = now.older.get(name);
        String group = before == null ? admit(grouping.apply(name)) : before;
        now.newer.put(name, group);
        if (now.newer.size() >= REMEMBERED_NAMES) {
            names.compareAndSet(now, new Names(new ConcurrentHashMap<>(), now.newer));
        }
        return group;
    }

    private String admit(String group) {
        String known = groups.get(group);
        if (known != null) {
            return known;
        }
        groups.computeIfAbsent(group, fresh -> room.tryAcquire() ? fresh : null);
        return groups.getOrDefault(group, OTHER);
    }
}
