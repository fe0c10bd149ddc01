package io.wellkeeper.torture;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The clients of MariaDB send packets: a length of three bytes, a number that counts from 0, a command and its content.
 */
final class MariaDbProtocol implements Servers.Protocol {

    private static final int HEADER = 4;
    private static final int QUERY = 3;
    private static final int EXECUTE = 23;
    private static final String REFUSAL = "#HY000Lock wait timeout exceeded; try restarting transaction";
    private static final int LOCK_WAIT_TIMEOUT = 1205;
    private static final Pattern VALUE = Pattern.compile("(?s)(?:'(?:[^'\\\\]|\\\\.)*+')+|\\b\\d+\\b");
    private static final Pattern VALUES = Pattern.compile("\\?(?:\\s*,\\s*\\?)+");

    @Override
    public Optional<String> kind(ByteBuffer request) {
        if (request.limit() <= HEADER) {
            return Optional.empty();
        }
        int length = (request.get(0) & 0xff) + ((request.get(1) & 0xff) << 8) + ((request.get(2) & 0xff) << 16);
        boolean alone = length + HEADER == request.limit() && request.get(3) == 0;
        int command = request.get(HEADER);
        String text = StandardCharsets.ISO_8859_1.decode(request.duplicate()).toString();
        boolean used = command == EXECUTE || (command == QUERY && text.contains("wellkeeper_"));
        return alone && used ? Optional.of(command == EXECUTE ? "statement" : kind(text)) : Optional.empty();
    }

    /** The statement without the values in it. */
    private static String kind(String text) {
        String statement = text.substring(HEADER + 1);
        return VALUES.matcher(VALUE.matcher(statement).replaceAll("?")).replaceAll("?");
    }

    @Override
    public byte[] refuse(ByteBuffer request, int which) {
        byte[] text = REFUSAL.getBytes(StandardCharsets.US_ASCII);
        int length = 3 + text.length;
        return ByteBuffer.allocate(HEADER + length)
                .put((byte) length)
                .put((byte) (length >> 8))
                .put((byte) 0)
                .put((byte) 1)
                .put((byte) 0xff)
                .put((byte) LOCK_WAIT_TIMEOUT)
                .put((byte) (LOCK_WAIT_TIMEOUT >> 8))
                .put(text)
                .array();
    }
}
