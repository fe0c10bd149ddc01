package io.wellkeeper.stress;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockOptions;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * A store with clients, without threads of its own: everything happens on the calling threads. Callbacks run, and time
 * passes, only when a caller says so.
 */
final class World {

    static final String NAME = "well";
    static final LockOptions DEFAULTS = LockOptions.defaults();
    static final LockOptions OWN_NUMBERS = LockOptions.builder().handOvers(0).build();
    static final LockOptions RETAINED = LockOptions.builder().retain(true).build();

    private static final Duration SESSION = Duration.ofHours(8);
    private static final Duration HEARTBEAT = SESSION.dividedBy(8);

    final DirectStore store = new DirectStore();
    final StillTime time = new StillTime();
    final Callbacks callbacks = new Callbacks();
    final Happenings events = new Happenings();
    private final ClientOptions options;

    World(LockOptions locks) {
        options = ClientOptions.builder()
                .clientName("stress")
                .sessionTimeout(SESSION)
                .time(time)
                .callbackExecutor(callbacks)
                .listener(events)
                .lockDefaults(locks)
                .build();
    }

    ClientOptions options() {
        return options;
    }

    LockClient client() {
        return LockClient.over(store, options);
    }

    /** The lock of a new client. */
    DistributedLock lock() {
        return client().lock(NAME);
    }

    /** Lets a heartbeat pass, so that the clients begin to watch what lasts longer than that. */
    void beat() {
        time.pass(HEARTBEAT);
    }

    /** Runs all callbacks, and returns the result of a future. */
    <T> T outcome(CompletableFuture<T> future) {
        callbacks.run();
        if (!future.isDone()) {
            throw new IllegalStateException("forgotten");
        }
        return future.join();
    }

    /** How many tickets and watches are left in the store, though nothing is held. */
    int leftovers() {
        callbacks.run();
        return store.leftovers();
    }

    /** Whether the lock is free, and nothing is left in the store. */
    boolean isFreeAndClean(DistributedLock lock) {
        if (leftovers() != 0 || !lock.tryLock()) {
            return false;
        }
        lock.unlock();
        return leftovers() == 0;
    }
}
