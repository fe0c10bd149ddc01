package io.wellkeeper.torture;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** The clients of PostgreSQL send messages: a letter, a length and a content. Two kinds of messages end a request. */
final class PostgresProtocol implements Servers.Protocol {

    private static final List<String> ERRORS = List.of("40001", "40P01", "55P03");
    private static final List<String> SETTINGS = List.of("SET ", "set_config", "LISTEN", "SHOW ");

    @Override
    public Optional<String> kind(ByteBuffer request) {
        String text = StandardCharsets.ISO_8859_1.decode(request.duplicate()).toString();
        boolean sets = SETTINGS.stream().anyMatch(text::contains);
        return !sets && isRequest(request) ? Optional.of("statement") : Optional.empty();
    }

    /** Whether the bytes are whole messages, only the last of which ends a request. */
    private static boolean isRequest(ByteBuffer request) {
        int at = 0;
        while (at + 1 + Integer.BYTES <= request.limit()) {
            char type = (char) request.get(at);
            long next = at + 1L + request.getInt(at + 1);
            boolean ends = type == 'S' || type == 'Q';
            if (ends || next >= request.limit() || next <= at) {
                return ends && next == request.limit();
            }
            at = (int) next;
        }
        return false;
    }

    /** The answer also says that the transaction has failed, so that the client ends the transaction. */
    @Override
    public byte[] refuse(ByteBuffer request, int which) {
        String fields = "SERROR\0VERROR\0C" + ERRORS.get(which % ERRORS.size()) + "\0Mnot now\0\0";
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        answer.write('E');
        byte[] error = fields.getBytes(StandardCharsets.US_ASCII);
        answer.writeBytes(ByteBuffer.allocate(Integer.BYTES)
                .putInt(Integer.BYTES + error.length)
                .array());
        answer.writeBytes(error);
        answer.writeBytes(new byte[] {'Z', 0, 0, 0, Integer.BYTES + 1, 'E'});
        return answer.toByteArray();
    }
}
