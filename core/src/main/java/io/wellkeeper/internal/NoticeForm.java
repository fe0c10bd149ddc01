package io.wellkeeper.internal;

import io.wellkeeper.spi.TicketQueue;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;

/**
 * What the text of a notice says, field by field: the form of an HTML form ({@code size=10&broken=...}). Fields that
 * nobody here knows are kept. Immutable.
 */
final class NoticeForm {

    static final NoticeForm EMPTY = new NoticeForm(Map.of());

    private static final int MOST_BYTES = 16 * 1024;

    private final TreeMap<String, String> fields;

    private NoticeForm(Map<String, String> fields) {
        this.fields = new TreeMap<>(fields);
    }

    /** Reads a text, be it ours or not; what makes no sense is left out. */
    static NoticeForm parse(String text) {
        NoticeForm form = new NoticeForm(Map.of());
        for (String pair : text.split("&")) {
            int equals = pair.indexOf('=');
            if (equals > 0) {
                form.fields.put(decode(pair.substring(0, equals)), decode(pair.substring(equals + 1)));
            }
        }
        return form;
    }

    /** Changes a notice, whoever else does so meanwhile; true in the end. */
    static CompletionStage<Boolean> change(TicketQueue queue, UnaryOperator<NoticeForm> how) {
        return queue.notice()
                .thenCompose(
                        seen -> queue.post(seen, how.apply(parse(seen.text())).format()))
                .thenCompose(done -> done ? CompletableFuture.completedFuture(true) : change(queue, how));
    }

    Optional<String> get(String key) {
        return Optional.ofNullable(fields.get(key));
    }

    /** A field that is a number, not negative; empty if it is not there, or none. */
    OptionalInt number(String key) {
        long number = longNumber(key).orElse(Long.MAX_VALUE);
        return number > Integer.MAX_VALUE ? OptionalInt.empty() : OptionalInt.of((int) number);
    }

    /** As {@link #number}, for larger ones. */
    OptionalLong longNumber(String key) {
        try {
            long number = Long.parseLong(fields.getOrDefault(key, "-1"));
            return number < 0 ? OptionalLong.empty() : OptionalLong.of(number);
        } catch (NumberFormatException foreign) {
            return OptionalLong.empty();
        }
    }

    /** The keys that begin like this. */
    List<String> keys(String prefix) {
        List<String> keys = new ArrayList<>(fields.keySet());
        keys.removeIf(key -> !key.startsWith(prefix));
        return keys;
    }

    NoticeForm with(String key, String value) {
        NoticeForm form = new NoticeForm(fields);
        form.fields.put(key, value);
        return form;
    }

    NoticeForm without(String key) {
        NoticeForm form = new NoticeForm(fields);
        form.fields.remove(key);
        return form;
    }

    /** As {@link #parse} reads it; empty if there is no field. */
    String format() {
        StringBuilder text = new StringBuilder();
        fields.forEach((key, value) -> text.append(text.length() == 0 ? "" : "&")
                .append(encode(key))
                .append('=')
                .append(encode(value)));
        return text.toString();
    }

    /** Whether a notice has room for it. */
    boolean fits() {
        return format().length() <= MOST_BYTES; // which is ASCII
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
}
