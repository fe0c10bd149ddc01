package io.wellkeeper.internal;

import java.util.function.Supplier;

/** Where a gate gets the right to be in: from a queue of tickets, or from a store of leases. */
@FunctionalInterface
interface Contender {

    /**
     * Makes an attempt; it does nothing before it is started.
     *
     * @param name the lock's name
     * @param want what kind of ticket
     * @param mayWait whether it waits when somebody else is in
     * @param metadata what to show to those who look at the store
     * @param listener told how it ends
     */
    Attempt attempt(String name, Want want, boolean mayWait, Supplier<String> metadata, Attempt.Listener listener);
}
