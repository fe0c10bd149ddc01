package io.wellkeeper.internal;

import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.TicketQueue;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * What the text of a notice says, field by field: the form of an HTML form ({@code size=10&broken=...}). Fields that
 * nobody here knows are kept. Immutable.
 */
final class NoticeForm {

    static final NoticeForm EMPTY = new NoticeForm(Map.of());

    private static final int MOST_BYTES =
            16 * 1024 - 256; // a store has room for 16 KiB; the rest is for numbers that grow

    private final TreeMap<String, String> fields;

    private NoticeForm(Map<String, String> fields) {
        this.fields = new TreeMap<>(fields);
    }

    /** Reads a text, also one that this library has not written; parts that make no sense are left out. */
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

    /**
     * Changes a notice; false if another client has changed it meanwhile. Fails, and posts nothing, if the notice has
     * no room.
     *
     * @param replaced is told of the notice that was changed, before all who wait for the result
     */
    static CompletionStage<Boolean> tryChange(
            TicketQueue queue, UnaryOperator<NoticeForm> how, BooleanSupplier isOver, Consumer<Notice> replaced) {
        return queue.notice().thenCompose(seen -> {
            if (isOver.getAsBoolean()) {
                return CompletableFuture.completedFuture(false);
            }
            NoticeForm changed = how.apply(parse(seen.text()));
            return changed.fits()
                    ? tryPost(queue, seen, changed, replaced)
                    : CompletableFuture.failedFuture(new LockStoreException("the notice beside the queue would have "
                            + changed.bytes() + " bytes; at most " + MOST_BYTES + " are allowed"));
        });
    }

    /** @param replaced as in {@link #tryChange} */
    static CompletionStage<Boolean> tryPost(
            TicketQueue queue, Notice seen, NoticeForm changed, Consumer<Notice> replaced) {
        return queue.post(seen, changed.format()).thenApply(done -> {
            if (done) {
                replaced.accept(seen);
            }
            return done;
        });
    }

    Optional<String> get(String key) {
        return Optional.ofNullable(fields.get(key));
    }

    /** A field that is a number; empty if there is no such field, or if it is not a number or is negative. */
    OptionalInt number(String key) {
        long number = longNumber(key).orElse(Long.MAX_VALUE);
        return number > Integer.MAX_VALUE ? OptionalInt.empty() : OptionalInt.of((int) number);
    }

    /** As {@link #number}, for larger numbers. */
    OptionalLong longNumber(String key) {
        try {
            long number = Long.parseLong(fields.getOrDefault(key, "-1"));
            return number < 0 ? OptionalLong.empty() : OptionalLong.of(number);
        } catch (NumberFormatException foreign) {
            return OptionalLong.empty();
        }
    }

    /** The keys that begin with this prefix. */
    List<String> keys(String prefix) {
        List<String> keys = new ArrayList<>(fields.keySet());
        keys.removeIf(key -> !key.startsWith(prefix));
        return keys;
    }

    /**
     * Removes the oldest fields with this prefix if there are too many of them, or if the notice has no room for all.
     *
     * @param most the largest number of these fields that may remain
     * @param least the number of the newest of these fields that remain even if there is no room for them
     */
    NoticeForm withLastOf(String prefix, int most, int least) {
        NoticeForm result = this;
        List<String> keys = keys(prefix);
        while (keys.size() > least && (keys.size() > most || !result.fits())) {
            result = result.without(keys.remove(0));
        }
        return result;
    }

    /**
     * A new key with this prefix that comes after all others with it. All such keys have the same number of digits, so
     * that they are in order.
     */
    String keyBehind(String prefix) {
        int last = keys(prefix).stream()
                .mapToInt(key -> numberOf(key.substring(prefix.length())))
                .max()
                .orElse(0);
        return prefix + String.format(Locale.ROOT, "%010d", last + 1);
    }

    private static int numberOf(String digits) {
        try {
            return Integer.parseInt(digits);
        } catch (NumberFormatException foreign) {
            return 0;
        }
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

    /** The text, as {@link #parse} reads it; empty if there is no field. */
    String format() {
        StringBuilder text = new StringBuilder();
        fields.forEach((key, value) -> text.append(text.length() == 0 ? "" : "&")
                .append(encode(key))
                .append('=')
                .append(encode(value)));
        return text.toString();
    }

    /** Whether a notice has room for this form. */
    boolean fits() {
        return bytes() <= MOST_BYTES;
    }

    private int bytes() {
        return format().getBytes(StandardCharsets.UTF_8).length;
    }

    /**
     * Encodes only characters that would not be read as they are. So a text in any script has room, also as a form
     * within a form.
     */
    private static String encode(String text) {
        StringBuilder encoded = new StringBuilder();
        text.codePoints().forEach(character -> {
            String same = Character.toString(character);
            boolean plain = character > ' '
                    && "%&=+".indexOf(character) < 0
                    && !Character.isISOControl(character)
                    && Character.getType(character) != Character.SURROGATE;
            encoded.append(plain ? same : URLEncoder.encode(same, StandardCharsets.UTF_8));
        });
        return encoded.toString();
    }

    private static String decode(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException foreign) {
            return text;
        }
    }
}
