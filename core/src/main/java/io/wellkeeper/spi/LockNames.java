package io.wellkeeper.spi;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * What a lock may be called: any non-empty text of at most {@value #MAX_BYTES} bytes of UTF-8 without NUL. Two names are
 * the same when their characters are; nothing is folded, trimmed or normalised. A {@code /} makes a hierarchy to look
 * at, no more: {@code orders} and {@code orders/42} are different locks.
 *
 * <p>Names that begin with {@value #RESERVED} are reserved for Wellkeeper: a store accepts them, but a user's lock may
 * not have such a name.
 *
 * <p>A store reversibly escapes the characters that its own paths or keys cannot hold, so that every valid name works
 * on every store.
 */
public final class LockNames {

    /** The longest name, in bytes of UTF-8. */
    public static final int MAX_BYTES = 512;

    /** What the names of queues begin with that Wellkeeper keeps for itself, beside the locks of the users. */
    public static final String RESERVED = "wellkeeper:";

    private LockNames() {}

    /**
     * Refuses what is not a valid name of a queue.
     *
     * @param name the name
     * @return the name
     * @throws IllegalArgumentException that says which rule is broken
     */
    public static String check(String name) {
        if (name.isEmpty()) {
            throw new IllegalArgumentException("lock name is empty");
        }
        int nul = name.indexOf('\0');
        if (nul >= 0) {
            throw new IllegalArgumentException("lock name has a NUL character at index " + nul);
        }
        if (name.length() > MAX_BYTES) {
            throw tooLong(name.length() + " characters");
        }
        int bytes = utf8Length(name);
        if (bytes > MAX_BYTES) {
            throw tooLong(bytes + " bytes");
        }
        return name;
    }

    /**
     * Refuses what a user may not call a lock.
     *
     * @param name the name
     * @return the name
     * @throws IllegalArgumentException that says which rule is broken
     */
    public static String checkChosen(String name) {
        if (name.startsWith(RESERVED)) {
            throw new IllegalArgumentException("lock name begins with '" + RESERVED + "', which is reserved");
        }
        return check(name);
    }

    private static IllegalArgumentException tooLong(String size) {
        return new IllegalArgumentException(
                "lock name has " + size + "; at most " + MAX_BYTES + " bytes of UTF-8 are allowed");
    }

    private static int utf8Length(String name) {
        try {
            ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(name));
            return encoded.remaining();
        } catch (CharacterCodingException unpaired) {
            throw new IllegalArgumentException("lock name has an unpaired surrogate, which UTF-8 cannot hold");
        }
    }
}
