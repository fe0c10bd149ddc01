package io.wellkeeper.redis;

import io.lettuce.core.cluster.SlotHash;
import java.util.ArrayList;
import java.util.List;

/**
 * What everything is called in Redis.
 *
 * <p>Locks are spread over partitions. All keys of a partition have the same hash tag, so that they are in one slot of a
 * Cluster and one script may touch them: the deadlines of the sessions and the queues that they guard. The tags are chosen
 * so that partition <i>k</i> of <i>n</i> lies in the <i>k</i>-th <i>n</i>-th of the slots. On a Cluster, the channels of
 * the sessions lie there too, and are sharded.
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
     * @param count how many partitions; the same for all clients
     * @param cluster whether it is a Cluster that keeps them
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

    /** A string, in no partition: how many there are. */
    String count() {
        return prefix + ":partitions";
    }

    /** Whether a channel is one of a Cluster's slots. */
    static boolean isSharded(String channel) {
        return channel.indexOf('{') >= 0;
    }

    /** Keys in one slot. */
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

        /** Which it is, from 0. */
        int number() {
            return number;
        }

        /** Where it is in a Cluster. */
        int slot() {
            return slot;
        }

        /** What the names of the sessions' channels begin with. */
        String channels() {
            return channels;
        }

        /** A sorted set: session to deadline. */
        String sessions() {
            return sessions;
        }

        /** A sorted set: name in use to when it may be forgotten. */
        String names() {
            return names;
        }

        /** A hash: session to the sequence number of its last ticket; and the last number that was drawn. */
        String sequences() {
            return sequences;
        }

        /** A sorted set: ticket to number. */
        String queue(String lock) {
            return prefix + "queue:" + lock;
        }

        /** A hash: what belongs to the queue. */
        String data(String lock) {
            return prefix + "data:" + lock;
        }
    }
}
