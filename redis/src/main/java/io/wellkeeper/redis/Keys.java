package io.wellkeeper.redis;

import io.lettuce.core.cluster.SlotHash;
import java.util.ArrayList;
import java.util.List;

/**
 * The names of the keys and channels in Redis.
 *
 * <p>Locks are spread over partitions. A partition has the deadlines of sessions, and the queues of locks that these
 * sessions guard. All its keys have the same hash tag, so that they are in one slot of a Cluster and one script may
 * touch them. The tags are chosen so that partition <i>k</i> of <i>n</i> lies in the <i>k</i>-th <i>n</i>-th of the
 * slots. On a Cluster, the channels of the sessions lie in the same slot, and are sharded.
 */
final class Keys {

    /** The partitions on a server that is no Cluster. */
    static final int SINGLE = 1;

    /** The partitions on a Cluster, unless the URI says otherwise. */
    static final int CLUSTER = 64;

    private final String prefix;
    private final boolean cluster;
    private final List<Partition> partitions;

    /**
     * @param prefix what every key begins with
     * @param count how many partitions there are; the same for all clients
     * @param cluster whether the keys are on a Cluster
     */
    Keys(String prefix, int count, boolean cluster) {
        if (prefix.isEmpty() || prefix.indexOf('{') >= 0 || prefix.indexOf('}') >= 0) {
            throw new IllegalArgumentException(
                    "the prefix of the keys is empty, or has a brace, which Redis reads as a hash tag");
        }
        this.prefix = prefix;
        this.cluster = cluster;
        List<Partition> all = new ArrayList<>();
        for (int number = 0; number < count; number++) {
            String tag = tag(number, count);
            String home = prefix + ":{" + tag + "}:";
            all.add(new Partition(number, SlotHash.getSlot(tag), home, (cluster ? home : prefix + ":") + "session:"));
        }
        this.partitions = List.copyOf(all);
    }

    private static String tag(int number, int count) {
        for (int candidate = 0; ; candidate++) {
            String tag = Integer.toString(candidate, 36);
            if (partition(tag, count) == number) {
                return tag;
            }
        }
    }

    private static int partition(String text, int count) {
        return (int) ((long) SlotHash.getSlot(text) * count / SlotHash.SLOT_COUNT);
    }

    Partition of(String lock) {
        return partitions.get(Math.floorMod(lock.hashCode(), partitions.size()));
    }

    List<Partition> partitions() {
        return partitions;
    }

    boolean isCluster() {
        return cluster;
    }

    /** The key of a string, in no partition: how many partitions there are. */
    String count() {
        return prefix + ":partitions";
    }

    /** Whether a channel belongs to a slot of a Cluster. */
    static boolean isSharded(String channel) {
        return channel.indexOf('{') >= 0;
    }

    /** The keys in one slot. */
    static final class Partition {

        private final int number;
        private final int slot;
        private final String channels;
        private final String prefix;
        private final String sessions;
        private final String names;
        private final String sequences;

        private Partition(int number, int slot, String prefix, String channels) {
            this.number = number;
            this.slot = slot;
            this.channels = channels;
            this.prefix = prefix;
            this.sessions = prefix + "sessions";
            this.names = prefix + "names";
            this.sequences = prefix + "sequences";
        }

        /** The number of this partition, from 0. */
        int number() {
            return number;
        }

        /** The slot of this partition in a Cluster. */
        int slot() {
            return slot;
        }

        /** The beginning of the names of the sessions' channels. */
        String channels() {
            return channels;
        }

        /** The key of a sorted set: session to deadline. */
        String sessions() {
            return sessions;
        }

        /** The key of a sorted set: name of a lock in use to the time when the name may be forgotten. */
        String names() {
            return names;
        }

        /** The key of a hash: session to the sequence number of its last ticket; and the last number that was drawn. */
        String sequences() {
            return sequences;
        }

        /** The key of a sorted set: ticket to number. */
        String queue(String lock) {
            return prefix + "queue:" + lock;
        }

        /** The key of a hash: what else belongs to the queue. */
        String data(String lock) {
            return prefix + "data:" + lock;
        }
    }
}
