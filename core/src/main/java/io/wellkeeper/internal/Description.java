package io.wellkeeper.internal;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/** The metadata on one ticket, for those who look at the store. */
final class Description {

    private static final String UNKNOWN = ""; // no description is empty

    private final AtomicReference<String> text;

    /**
     * @param text with which the ticket was taken
     */
    Description(String text) {
        this.text = new AtomicReference<>(text);
    }

    /** Writes a new text on the ticket, if it differs. If the store fails to write it, the next call writes again. */
    void write(String news, Supplier<CompletionStage<Void>> write) {
        if (!news.equals(text.getAndSet(news))) {
            Calls.stage(write).whenComplete((written, failure) -> {
                if (failure != null) {
                    text.compareAndSet(news, UNKNOWN);
                }
            });
        }
    }
}
