package io.wellkeeper.internal;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/** What stands on one ticket for those who look at the store. */
final class Description {

    private static final String UNKNOWN = ""; // no description is

    private final AtomicReference<String> text;

    /**
     * @param text with which the ticket was taken
     */
    Description(String text) {
        this.text = new AtomicReference<>(text);
    }

    /** Writes something else on the ticket, by one thread at a time; what the store fails to write, the next call does. */
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
