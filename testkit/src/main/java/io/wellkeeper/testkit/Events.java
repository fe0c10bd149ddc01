package io.wellkeeper.testkit;

import io.wellkeeper.LockListener;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** What the listener of a client was told, in order, such as {@code acquired orders/42}. */
final class Events implements LockListener {

    private final Queue<String> told = new ConcurrentLinkedQueue<>();

    int count(String event) {
        return Collections.frequency(told, event);
    }

    void await(String event, int times) {
        Await.until(() -> times + " times '" + event + "' among " + told, () -> count(event) >= times);
    }

    void awaitAny(String... events) {
        Await.until(
                () -> "one of " + List.of(events) + " among " + told,
                () -> told.stream().anyMatch(List.of(events)::contains));
    }

    @Override
    public void contended(String lock) {
        told.add("contended " + lock);
    }

    @Override
    public void acquired(String lock, Duration waited) {
        told.add("acquired " + lock);
    }

    @Override
    public void handedOver(String lock) {
        told.add("handedOver " + lock);
    }

    @Override
    public void released(String lock, Duration held) {
        told.add("released " + lock);
    }

    @Override
    public void lost(String lock, Duration held, String reason) {
        told.add("lost " + lock);
    }
}
