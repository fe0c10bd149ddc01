package io.wellkeeper.internal;

import io.wellkeeper.spi.LockNames;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Names of queues that belong to a primitive and are no lock by themselves; users cannot choose them. */
final class InternalNames {

    private static final int MAX_BYTES = 512;
    private static final String CONDITION = "condition/";

    private InternalNames() {}

    /** The name of a condition has no slash. */
    static String condition(String lock, String condition) {
        return name(CONDITION + condition, lock);
    }

    /** The lock at whose shard a queue is kept: a condition's is kept where its lock is, so that one session has both. */
    static String home(String queue) {
        String beginning = LockNames.RESERVED + CONDITION;
        return queue.startsWith(beginning) ? queue.substring(queue.indexOf('/', beginning.length()) + 1) : queue;
    }

    static String latch(String latch) {
        return name("latch", latch);
    }

    static String barrier(String barrier) {
        return name("barrier", barrier);
    }

    private static String name(String kind, String user) {
        String plain = LockNames.RESERVED + kind + "/" + user;
        return plain.getBytes(StandardCharsets.UTF_8).length <= MAX_BYTES
                ? plain
                : LockNames.RESERVED + kind + "/sha256/" + digest(user);
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
