package io.wellkeeper.zookeeper;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.StoreRefusalException;
import io.wellkeeper.spi.Time;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the leases of one store that are not renewed. ZooKeeper keeps their nodes for as long as the session lives. So a
 * deletion that fails is requested again, after growing pauses, for as long.
 */
final class LeaseEnds {

    private static final Logger LOG = LoggerFactory.getLogger(LeaseEnds.class);
    private static final Duration FIRST_RETRY = Duration.ofMillis(200);
    private static final Duration LAST_RETRY = Duration.ofSeconds(1); // others wait for it
    private static final Duration LAST_RETRY_OF_REFUSED =
            Duration.ofSeconds(10); // an operator has to do something first

    private final Function<Lease, CompletionStage<Boolean>> release;
    private final Map<String, Alarm> alarms = new ConcurrentHashMap<>(); // by owner

    private static final class Alarm extends CompletableFuture<Boolean> {

        private final long end;

        Alarm(Duration ttl) {
            end = System.nanoTime() + ttl.toNanos();
        }
    }

    LeaseEnds(Function<Lease, CompletionStage<Boolean>> release) {
        this.release = release;
    }

    /** A lease was given, perhaps once more. */
    void begin(Lease lease, Duration ttl) {
        if (postpone(lease, ttl)) {
            return;
        }
        Alarm alarm = new Alarm(ttl);
        Alarm before = alarms.put(lease.owner(), alarm);
        if (before != null) {
            before.cancel(false);
        }
        set(alarm, lease, ttl);
    }

    /** A release has failed. The caller may not try again, and the lease may stay for as long as the session. */
    void owe(Lease lease) {
        if (!alarms.containsKey(lease.owner())) {
            begin(lease, lease.validity());
        }
    }

    /** Moves the end of a lease to a later time, never to an earlier one. False if the lease has ended. */
    boolean postpone(Lease lease, Duration ttl) {
        Alarm alarm = alarms.get(lease.owner());
        if (alarm == null) {
            return false;
        }
        Alarm later = new Alarm(ttl);
        if (later.end - alarm.end <= 0) {
            return !alarm.isDone();
        }
        if (!alarm.cancel(false)) {
            return false;
        }
        boolean isStillThere = alarms.replace(lease.owner(), alarm, later);
        if (isStillThere) {
            set(later, lease, ttl);
        }
        return isStillThere;
    }

    void forget(Lease lease) {
        Alarm alarm = alarms.remove(lease.owner());
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

    /** Starts an alarm. It must be in the map already: its end looks there, and may come at once. */
    private void set(Alarm alarm, Lease lease, Duration ttl) {
        alarm.thenAccept(due -> end(lease, FIRST_RETRY, false));
        Registration timer = Time.later(ttl, () -> alarm.complete(true));
        alarm.whenComplete((due, cancelled) -> timer.close());
    }

    /**
     * @param told whether it has been said that the servers refuse it
     */
    private void end(Lease lease, Duration pause, boolean told) {
        release.apply(lease).whenComplete((released, failure) -> {
            if (failure == null || !alarms.containsKey(lease.owner())) {
                return;
            }
            boolean refused = failure instanceof StoreRefusalException;
            if (refused && !told) {
                LOG.warn(
                        "{}: so nobody gets the lock '{}', of which the lease is over, as long as this session lasts",
                        failure.getMessage(),
                        lease.name());
            }
            Duration next = Durations.twice(pause, refused ? LAST_RETRY_OF_REFUSED : LAST_RETRY);
            Time.later(pause, () -> end(lease, next, told || refused));
        });
    }
}
