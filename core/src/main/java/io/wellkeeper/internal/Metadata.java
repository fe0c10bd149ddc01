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
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * What a client writes on its tickets for others to read. It is encoded like an HTML form ({@code host=a&pid=7&...}),
 * which people and programs in every language can read.
 */
final class Metadata {

    private static final String LABEL = "label.";
    private static final String HOLDS = "holds.";
    private static final String WAITS = "waits.";
    private static final int MOST_BYTES = 16 * 1024; // of the metadata of one ticket
    private static final int MAX_TEXT = 12_000; // no more threads are listed in a longer text
    private static final int MAX_THREAD_NAME = 128;

    private final String fixed;

    Metadata(String clientName) {
        this.fixed = "client=" + encode(clientName) + "&host=" + encode(Host.NAME) + "&pid=" + Host.PID;
    }

    /** The name of this machine and process, for a client without a name of its own. */
    static String defaultClientName() {
        return Host.NAME + ":" + Host.PID;
    }

    /** A holder or waiter that uses a ticket. */
    interface Subject {

        /** The thread that has acquired the lock, or is blocked until it has; empty if there is no such thread. */
        OptionalLong threadId();

        String threadName();

        LockOptions options();
    }

    /**
     * Describes the holders and waiters that use one ticket. A single one is written in the same way whether it holds
     * or waits.
     *
     * @param holding the holders
     * @param waiting the waiters
     */
    String of(List<? extends Subject> holding, List<? extends Subject> waiting) {
        if (holding.isEmpty() && waiting.isEmpty()) {
            return fixed;
        }
        StringBuilder text = new StringBuilder();
        describe(text, holding.isEmpty() ? waiting.get(0) : holding.get(0));
        if (holding.size() + waiting.size() > 1) {
            list(text, HOLDS, holding);
            list(text, WAITS, waiting);
        }
        return text.toString();
    }

    private static void list(StringBuilder text, String what, List<? extends Subject> subjects) {
        for (Subject subject : subjects) {
            OptionalLong thread = subject.threadId();
            if (thread.isPresent() && text.length() < MAX_TEXT) {
                text.append('&').append(what).append(thread.getAsLong()).append('=');
                text.append(encode(shortened(subject.threadName())));
            }
        }
    }

    private void describe(StringBuilder text, Subject subject) {
        LockOptions options = subject.options();
        text.append(fixed).append("&thread=").append(encode(shortened(subject.threadName())));
        subject.threadId().ifPresent(thread -> text.append("&tid=").append(thread));
        if (!options.reason().isEmpty()) {
            text.append("&reason=").append(encode(options.reason()));
        }
        options.labels().forEach((key, value) -> {
            String label = '&' + encode(LABEL + key) + '=' + encode(value);
            if (text.length() + label.length() <= MOST_BYTES) { // if there are very many labels, some have no room
                text.append(label);
            }
        });
    }

    /** The name of a thread may be of any length, and the store has a limit. */
    private static String shortened(String thread) {
        return thread.length() <= MAX_THREAD_NAME ? thread : thread.substring(0, MAX_THREAD_NAME);
    }

    /** Reads what any client wrote, be it this library or another. Fields that make no sense are left out. */
    static Participant read(TicketInfo info, Instant now) {
        return read(info, now, fields(info).getOrDefault("thread", ""));
    }

    /** Reads the same, and names this one of the threads behind the ticket. */
    static Participant read(TicketInfo info, Instant now, String thread) {
        Map<String, String> fields = fields(info);
        Map<String, String> labels = new LinkedHashMap<>();
        fields.forEach((key, value) -> {
            if (key.startsWith(LABEL)) {
                labels.put(key.substring(LABEL.length()), value);
            }
        });
        Duration waited = Duration.between(info.since(), now);
        return new Participant(
                info.ticket().number(),
                info.ticket().permits(),
                fields.getOrDefault("client", ""),
                fields.getOrDefault("host", ""),
                number(fields.getOrDefault("pid", "")),
                thread,
                fields.getOrDefault("reason", ""),
                Map.copyOf(labels),
                info.since(),
                waited.isNegative() ? Duration.ZERO : waited,
                info.token().isPresent()
                        ? OptionalLong.of(Turn.firstToken(info.token().getAsLong()))
                        : OptionalLong.empty());
    }

    /**
     * The threads behind a ticket: the name of each by its id.
     *
     * @param holding the threads that use the ticket
     * @param waiting the threads that will use it next
     * @param alone the only thread, if the ticket does not tell whether it holds or waits
     */
    record Threads(Map<Long, String> holding, Map<Long, String> waiting, Map<Long, String> alone) {

        /** The threads that are blocked until the ticket is let in. */
        Map<Long, String> standing() {
            return waiting.isEmpty() ? alone : waiting;
        }

        /** The threads that hold, if the ticket has been let in. */
        Map<Long, String> inside() {
            return holding.isEmpty() && waiting.isEmpty() ? alone : holding;
        }
    }

    static Threads threads(TicketInfo info) {
        Map<String, String> fields = fields(info);
        Map<Long, String> alone = new LinkedHashMap<>();
        if (fields.containsKey("tid")) {
            alone.put(number(fields.getOrDefault("tid", "")), fields.getOrDefault("thread", ""));
        }
        return new Threads(numbered(fields, HOLDS), numbered(fields, WAITS), alone);
    }

    private static Map<Long, String> numbered(Map<String, String> fields, String prefix) {
        Map<Long, String> threads = new LinkedHashMap<>();
        fields.forEach((key, value) -> {
            if (key.startsWith(prefix)) {
                threads.put(number(key.substring(prefix.length())), value);
            }
        });
        return threads;
    }

    private static Map<String, String> fields(TicketInfo info) {
        Map<String, String> fields = new LinkedHashMap<>();
        for (String pair : info.metadata().split("&")) {
            int equals = pair.indexOf('=');
            if (equals > 0) {
                fields.put(decode(pair.substring(0, equals)), decode(pair.substring(equals + 1)));
            }
        }
        return fields;
    }

    private static long number(String text) {
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
