package io.wellkeeper.testkit;

import io.wellkeeper.LockClient;
import io.wellkeeper.LockOptions;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Ticket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

/** One kind of lock: how a simulation uses it and judges it. Each simulation has an object of its own. */
interface SimulatedPrimitive {

    /** What a client wants to acquire. */
    record Want(List<String> names, Mode mode, int permits) {}

    /** What a client has acquired. */
    interface Holding {

        boolean isHeld();

        /** The fencing token; throws if the lock is not held. */
        long token(String name);

        /** Whether it belongs to the thread that runs the schedule, and no other thread may use it. */
        default boolean isOfThread() {
            return false;
        }

        /** @param told runs once, if the holding is lost */
        void onLost(Runnable told);

        void close();
    }

    /**
     * What a holder does with its holding besides closing it.
     *
     * @param ends whether this ends the old holding
     * @param want what the new holding is for; empty if there is none
     */
    record Change(String what, boolean ends, Optional<Want> want, CompletableFuture<Optional<Holding>> answer) {

        /** The holding is replaced by another one. */
        static Change to(String what, Want want, CompletableFuture<Optional<Holding>> answer) {
            return new Change(what, true, Optional.of(want), answer);
        }

        /** Whether the result is the same holding as before, of which a part is left. */
        boolean isOf(Holding before) {
            return answer.isDone()
                    && !answer.isCompletedExceptionally()
                    && answer.join().filter(before::equals).isPresent();
        }

        /** The holding stays as it is, and must not be closed before this change is done. */
        static Change keeps(String what, CompletableFuture<?> done) {
            return new Change(what, false, Optional.empty(), done.handle((value, failure) -> Optional.empty()));
        }
    }

    Want choose(SplittableRandom random, List<String> names);

    /** @param timeout empty to wait for as long as it takes */
    CompletableFuture<Optional<Holding>> acquire(
            LockClient client, Want want, LockOptions options, Optional<Duration> timeout);

    /** Whether one ticket may serve several grants, one after the other. */
    default boolean isHandedOver() {
        return true;
    }

    /** Whether a change makes the holding smaller step by step, so that nobody knows meanwhile how much is held. */
    default boolean changesInPlace() {
        return false;
    }

    /** Whether a thread can acquire this by a blocking call. */
    default boolean hasThreads() {
        return false;
    }

    /**
     * Acquires for the calling thread, by a blocking call.
     *
     * @param timeout for how long the thread waits at most
     * @return empty if the time has passed in vain
     */
    default Optional<Holding> acquireByThread(LockClient client, Want want, LockOptions options, Duration timeout) {
        return Optional.empty();
    }

    /** Acquires something milder beside the holding, again and again, and returns the token of each. */
    default List<Long> acquireBeside(
            SplittableRandom random, LockClient client, Want want, Holding holding, LockOptions options) {
        return List.of();
    }

    /** Does something with a holding; throws if the holding is lost. Empty if it can only be closed. */
    default Optional<Change> change(
            SplittableRandom random, LockClient client, Want want, Holding holding, LockOptions options) {
        return Optional.empty();
    }

    /** At the end of the schedule, does what the remaining waiters wait for. */
    default void comfort(LockClient client, List<String> names, LockOptions options) {}

    /** The bound: whether these wants may be held at once. */
    boolean tolerates(String name, List<Want> inside);

    /** The order: whether the tickets ahead let this one in; only living tickets count. */
    boolean admits(String name, Ticket mine, List<Ticket> ahead);

    /** The reverse of the order: whether this ticket must be in now, or soon. */
    default boolean mustBeIn(String name, Ticket mine, List<Ticket> ahead) {
        return admits(name, mine, ahead);
    }

    /**
     * The tokens: whether a grant may have this token.
     *
     * @param last the largest token that is remembered for this name
     * @param lastWhenAsked the largest token that was remembered when the client began to acquire
     */
    default boolean tokenMayFollow(Want want, long last, long lastWhenAsked, long token) {
        return token > last;
    }

    default boolean isTokenRemembered(Want want) {
        return true;
    }
}
