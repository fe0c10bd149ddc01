package io.wellkeeper.storekit;

import io.wellkeeper.LockListener;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

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
    public void contended(Acquisition what) {
        told.add("contended " + what.lock());
    }

    @Override
    public void acquired(Acquisition what, Duration waited) {
        told.add("acquired " + what.lock());
    }

    @Override
    public void gaveUp(Acquisition what, Duration waited, Outcome outcome, @Nullable Throwable failure) {
        told.add("gaveUp " + what.lock() + " " + outcome
                + (failure == null ? "" : ": " + failure.getClass().getSimpleName()));
    }

    @Override
    public void handedOver(Acquisition what) {
        told.add("handedOver " + what.lock());
    }

    @Override
    public void partlyReleased(Acquisition what, int permits) {
        told.add("partlyReleased " + what.lock() + " " + permits);
    }

    @Override
    public void released(Acquisition what, Duration held) {
        told.add("released " + what.lock());
    }

    @Override
    public void lost(Acquisition what, Duration held, String reason) {
        told.add("lost " + what.lock());
    }
}
