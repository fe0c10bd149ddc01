package io.wellkeeper.zookeeper;

import io.wellkeeper.spi.Lease;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.function.Function;

/** Ends the leases of one store that are not renewed: ZooKeeper keeps their nodes for as long as the session lives. */
final class LeaseEnds {

    private static final Duration RETRY = Duration.ofMillis(200);

    private final Function<Lease, CompletionStage<Boolean>> release;
    private final Map<String, CompletableFuture<Boolean>> alarms = new ConcurrentHashMap<>(); // by owner

    LeaseEnds(Function<Lease, CompletionStage<Boolean>> release) {
        this.release = release;
    }

    /** A lease was given, perhaps once more. */
    void begin(Lease lease, Duration ttl) {
        CompletableFuture<Boolean> before = alarms.put(lease.owner(), alarm(lease, ttl));
        if (before != null) {
            before.cancel(false);
        }
    }

    /** False if the lease has ended. */
    boolean postpone(Lease lease, Duration ttl) {
        CompletableFuture<Boolean> alarm = alarms.get(lease.owner());
        if (alarm == null || !alarm.cancel(false)) {
            return false;
        }
        return alarms.replace(lease.owner(), alarm, alarm(lease, ttl));
    }

    void forget(Lease lease) {
        CompletableFuture<Boolean> alarm = alarms.remove(lease.owner());
        if (alarm != null) {
            alarm.cancel(false);
        }
    }

    /** Ends all of them now. */
    void endAll() {
        alarms.values().forEach(alarm -> alarm.complete(true));
    }

    /** Whether all have ended. */
    boolean areOver() {
        return alarms.isEmpty();
    }

    /** Forgets them: they end with the session. */
    void close() {
        alarms.values().forEach(alarm -> alarm.cancel(false));
        alarms.clear();
    }

    private CompletableFuture<Boolean> alarm(Lease lease, Duration ttl) {
        CompletableFuture<Boolean> alarm = new CompletableFuture<>();
        alarm.thenAccept(due -> end(lease));
        Future<?> timer = Timer.after(ttl, () -> alarm.complete(true));
        alarm.whenComplete((due, cancelled) -> timer.cancel(false));
        return alarm;
    }

    private void end(Lease lease) {
        release.apply(lease).whenComplete((released, failure) -> {
            if (failure != null && alarms.containsKey(lease.owner())) {
                Timer.after(RETRY, () -> end(lease));
            }
        });
    }
}
