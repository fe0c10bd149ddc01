package io.wellkeeper.internal;

import io.wellkeeper.LockOptions;
import io.wellkeeper.Participant;
import io.wellkeeper.spi.TicketInfo;
import java.net.InetAddress;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a client writes on its tickets for others to read: the form of an HTML form ({@code host=a&pid=7&...}), which
 * every language can read and a person too.
 */
final class Metadata {

    private static final String LABEL = "label.";
    private static final int MAX_THREAD_NAME = 128;

    private final String fixed;

    Metadata(String clientName) {
        this.fixed = "client=" + encode(clientName) + "&host=" + encode(Host.NAME) + "&pid=" + Host.PID;
    }

    /** The name of this machine and process, for a client without a name of its own. */
    static String defaultClientName() {
        return Host.NAME + ":" + Host.PID;
    }

    String of(String thread, LockOptions options) {
        StringBuilder text = new StringBuilder(fixed).append("&thread=").append(encode(shortened(thread)));
        if (!options.reason().isEmpty()) {
            text.append("&reason=").append(encode(options.reason()));
        }
        options.labels()
                .forEach((key, value) ->
                        text.append('&').append(encode(LABEL + key)).append('=').append(encode(value)));
        return text.toString();
    }

    /** A thread may be called anything, and the store has a limit. */
    private static String shortened(String thread) {
        return thread.length() <= MAX_THREAD_NAME ? thread : thread.substring(0, MAX_THREAD_NAME);
    }

    /** Reads what some client wrote, be it ours or not; what makes no sense is left out. */
    static Participant read(TicketInfo info, Instant now) {
        Map<String, String> fields = new LinkedHashMap<>();
        Map<String, String> labels = new LinkedHashMap<>();
        for (String pair : info.metadata().split("&")) {
            int equals = pair.indexOf('=');
            if (equals > 0) {
                String key = decode(pair.substring(0, equals));
                String value = decode(pair.substring(equals + 1));
                if (key.startsWith(LABEL)) {
                    labels.put(key.substring(LABEL.length()), value);
                } else {
                    fields.put(key, value);
                }
            }
        }
        Duration waited = Duration.between(info.since(), now);
        return new Participant(
                info.ticket().number(),
                fields.getOrDefault("client", ""),
                fields.getOrDefault("host", ""),
                pid(fields.getOrDefault("pid", "")),
                fields.getOrDefault("thread", ""),
                fields.getOrDefault("reason", ""),
                Map.copyOf(labels),
                info.since(),
                waited.isNegative() ? Duration.ZERO : waited);
    }

    private static long pid(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException foreign) {
            return 0;
        }
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static String decode(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException foreign) {
            return text;
        }
    }

    /** Looked up once, because the name service may be slow. */
    private static final class Host {

        private static final String NAME = name();
        private static final long PID = ProcessHandle.current().pid();

        private static String name() {
            try {
                return InetAddress.getLocalHost().getHostName();
            } catch (UnknownHostException nameless) {
                return "localhost";
            }
        }
    }
}
