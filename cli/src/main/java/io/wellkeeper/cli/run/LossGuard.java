package io.wellkeeper.cli.run;

import io.wellkeeper.Held;
import io.wellkeeper.Registration;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Waits for the command's end, and ends the command before the lock can pass to another holder. It uses the handle's
 * own deadline, so it needs no answer from the store.
 *
 * <pre>
 *   remaining:  validity ............ grace + margin ....... margin ....... 0
 *                        runs       | TERM, has the grace  | KILL         | others may be let in
 * </pre>
 *
 * <p>Once it has sent TERM, a late answer from the store no longer saves the command.
 */
final class LossGuard {

    /** How long KILL may take, and the shell that sends it. */
    private static final Duration MARGIN = Duration.ofMillis(250);

    /**
     * The longest grace, as a part of the validity. A late heartbeat must not cost the lock, and there is one each
     * third of it.
     */
    private static final int GRACE_FRACTION = 3;

    private static final Duration UNTIL_EXIT = Duration.ofDays(365);
    private static final Duration UNTIL_NEXT_KILL = Duration.ofSeconds(1);

    private final Held handle;
    private final Child child;
    private final OnLost policy;
    private final Duration grace;
    private final Duration margin;
    private final Consumer<String> notice;

    private CompletableFuture<?> ended;
    private boolean termSent;
    private long termSentNanos;
    private boolean killed;

    LossGuard(Held handle, Child child, OnLost policy, Duration grace, Consumer<String> notice) {
        Duration validity = handle.remaining();
        this.handle = handle;
        this.child = child;
        this.policy = policy;
        this.grace = policy == OnLost.TERM ? min(grace, longestGrace(validity)) : Duration.ZERO;
        this.margin = margin(validity);
        this.notice = notice;
        this.ended = child.onExit();
    }

    /** How long before the end of the lock's validity KILL is sent. */
    private static Duration margin(Duration validity) {
        return min(MARGIN, validity.dividedBy(10));
    }

    /**
     * Tells how long the command may run on from now if this process cannot end it: a little longer than if it can, but
     * not until another holder can have the lock.
     */
    static Supplier<Duration> lastMoment(Held handle, OnLost policy) {
        Duration reserve = margin(handle.remaining()).dividedBy(2);
        return () -> policy == OnLost.IGNORE ? UNTIL_EXIT : handle.remaining().minus(reserve);
    }

    /** The longest grace for a lock that is valid for so long after each heartbeat. */
    static Duration longestGrace(Duration validity) {
        return validity.dividedBy(GRACE_FRACTION);
    }

    /**
     * Waits until the command has ended.
     *
     * @return whether the command had the lock until its end
     */
    boolean awaitExit() throws InterruptedException {
        CompletableFuture<?> lost = new CompletableFuture<>();
        Registration registration = handle.onLost(() -> lost.complete(null));
        try (registration) {
            while (!ended.isDone()) {
                Duration next = policy == OnLost.IGNORE ? runOn(lost.isDone()) : act();
                await(lost.isDone() ? ended : CompletableFuture.anyOf(ended, lost), next);
            }
        }
        if (termSent) {
            child.kill();
        }
        child.letGo();
        return !termSent && !killed && handle.isHeld();
    }

    private Duration runOn(boolean lost) {
        if (lost) {
            notice.accept("lock lost: the command runs on without it");
        }
        return UNTIL_EXIT;
    }

    /** Does what is due for the remaining time, and returns for how long nothing else needs to be done. */
    private Duration act() {
        child.putOffKill();
        Duration untilKill = handle.remaining().minus(margin);
        if (termSent) {
            untilKill = min(untilKill, grace.minusNanos(System.nanoTime() - termSentNanos));
        }
        if (isOver(untilKill)) {
            kill();
            return UNTIL_NEXT_KILL;
        }
        Duration untilTerm = untilKill.minus(grace);
        if (!termSent && isOver(untilTerm)) {
            terminate();
            return min(untilKill, grace);
        }
        return termSent ? untilKill : untilTerm;
    }

    private void terminate() {
        notice.accept("lock about to be lost, the store is not heard of: ending the command");
        ended = child.onFamilyExit();
        termSent = true;
        termSentNanos = System.nanoTime();
        child.signal("TERM");
    }

    private void kill() {
        if (!killed) {
            notice.accept(termSent ? "killing the command" : "lock lost: killing the command");
        }
        killed = true;
        ended = child.onExit();
        child.kill();
    }

    private static boolean isOver(Duration time) {
        return time.isNegative() || time.isZero();
    }

    private static void await(CompletableFuture<?> event, Duration atMost) throws InterruptedException {
        try {
            event.get(atMost.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException another) {
            // the caller looks again
        } catch (ExecutionException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static Duration min(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
