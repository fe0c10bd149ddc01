package io.wellkeeper.internal;

import io.wellkeeper.spi.LockNames;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Names of queues that belong to a primitive and are no lock by themselves; users cannot choose them. */
final class InternalNames {

    private static final int MAX_BYTES_PER_CHARACTER = 3; // a pair of surrogates has four

    /** The longest name of a condition, in characters, each of which is one byte. */
    static final int MAX_CONDITION = 32;

    private static final String CONDITION = LockNames.RESERVED + "condition/";
    private static final String LATCH = LockNames.RESERVED + "latch/";
    private static final String BARRIER = LockNames.RESERVED + "barrier/";

    private InternalNames() {}

    /** The name of a condition has no slash. */
    static String condition(String lock, String condition) {
        return CONDITION + condition + '/' + home(lock);
    }

    /**
     * The text by which the shard of a queue is chosen: the queue's name, or the digest of a long name. For a condition
     * it is the text of the condition's lock, so that one session has both.
     */
    static String home(String queue) {
        return queue.startsWith(CONDITION)
                ? queue.substring(queue.indexOf('/', CONDITION.length()) + 1)
                : shortened(queue, CONDITION.length() + MAX_CONDITION + 1);
    }

    static String latch(String latch) {
        return LATCH + shortened(latch, LATCH.length());
    }

    static String barrier(String barrier) {
        return BARRIER + shortened(barrier, BARRIER.length());
    }

    /** The name, or its digest if the name would not leave room for so many more bytes. */
    private static String shortened(String name, int room) {
        int most = LockNames.MAX_BYTES - room;
        boolean fits =
                name.length() * MAX_BYTES_PER_CHARACTER <= most || name.getBytes(StandardCharsets.UTF_8).length <= most;
        return fits ? name : "sha256/" + digest(name);
    }

    private static String digest(String text) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash);
        } catch (NoSuchAlgorithmException impossible) { // every Java platform has it
            throw new IllegalStateException(impossible);
        }
    }
}
