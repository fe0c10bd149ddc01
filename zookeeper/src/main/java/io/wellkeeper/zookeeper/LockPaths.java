package io.wellkeeper.zookeeper;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * From a lock name to a path and back. Segments are split at {@code /}: all but the last are directories, the last is
 * the lock's own node, which carries a marker. So {@code orders/42} is
 *
 * <pre>
 * /wellkeeper/locks/orders/42.lock
 * </pre>
 *
 * <p>No directory ends with the marker, so the node of the lock {@code orders} ({@code orders.lock}) and the directory
 * {@code orders} never meet, and below a lock's node there is nothing but its tickets. What a path cannot hold, or what
 * is reserved here, is written as the {@code %XX} of its UTF-8 bytes; a lone {@code %} is the empty segment. Every name
 * has exactly one path.
 */
final class LockPaths {

    static final String MARKER = ".lock";

    private static final String EMPTY = "%";
    private static final char[] HEX = "0123456789ABCDEF".toCharArray();

    private LockPaths() {}

    /**
     * The path of a lock's own node below a root.
     *
     * @param root a path without a slash at its end
     * @param name a valid lock name
     */
    static String path(String root, String name) {
        StringBuilder path = new StringBuilder(root);
        String[] segments = name.split("/", -1);
        for (String segment : segments) {
            path.append('/').append(encode(segment));
        }
        return path.append(MARKER).toString();
    }

    /** Every node from the first below the root down to the parent of the path, outermost first. */
    static List<String> directories(String root, String path) {
        List<String> result = new ArrayList<>();
        for (int slash = path.indexOf('/', root.length() + 1); slash >= 0; slash = path.indexOf('/', slash + 1)) {
            result.add(path.substring(0, slash));
        }
        return result;
    }

    /** Whether a node is a lock's own, and not a directory. */
    static boolean isLock(String node) {
        return node.endsWith(MARKER);
    }

    /** The last segment of the name of the lock whose own node this is; empty for a node that is nobody's. */
    static Optional<String> lockSegment(String node) {
        return decode(node.substring(0, node.length() - MARKER.length()));
    }

    static String encode(String segment) {
        if (segment.isEmpty()) {
            return EMPTY;
        }
        int reserved = reserved(segment);
        StringBuilder encoded = new StringBuilder(segment.length());
        for (int i = 0; i < segment.length(); ) {
            int point = segment.codePointAt(i);
            int end = i + Character.charCount(point);
            if (i == reserved || !allowed(point)) {
                for (byte b : segment.substring(i, end).getBytes(StandardCharsets.UTF_8)) {
                    encoded.append('%').append(HEX[b >> 4 & 0xf]).append(HEX[b & 0xf]);
                }
            } else {
                encoded.append(segment, i, end);
            }
            i = end;
        }
        return encoded.toString();
    }

    /** The character that must be written otherwise so that the segment is not one that means something; or -1. */
    private static int reserved(String segment) {
        if (segment.equals(".") || segment.equals("..") || segment.equals("zookeeper")) {
            return 0;
        }
        return segment.endsWith(MARKER) ? segment.length() - MARKER.length() : -1;
    }

    /** What ZooKeeper accepts in a path, without the character that begins an escape. */
    private static boolean allowed(int point) {
        return point > 0x1f
                && point != '%'
                && (point < 0x7f || point > 0x9f)
                && (point < 0xd800 || point > 0xf8ff)
                && point < 0xfff0;
    }

    /** The segment of which this is the one encoding; empty if it is none. */
    static Optional<String> decode(String encoded) {
        if (encoded.equals(EMPTY)) {
            return Optional.of("");
        }
        ByteBuffer bytes = ByteBuffer.allocate(encoded.length() * 3);
        for (int i = 0; i < encoded.length(); i++) {
            char c = encoded.charAt(i);
            if (c != '%') {
                bytes.put(String.valueOf(c).getBytes(StandardCharsets.UTF_8));
            } else if (i + 2 < encoded.length()) {
                bytes.put((byte)
                        (Character.digit(encoded.charAt(i + 1), 16) << 4 | Character.digit(encoded.charAt(i + 2), 16)));
                i += 2;
            } else {
                return Optional.empty();
            }
        }
        try {
            String segment =
                    StandardCharsets.UTF_8.newDecoder().decode(bytes.flip()).toString();
            return Optional.of(segment).filter(decoded -> encode(decoded).equals(encoded));
        } catch (CharacterCodingException noText) {
            return Optional.empty();
        }
    }
}
