package io.wellkeeper.spring.boot;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockListener.Mode;
import io.wellkeeper.LockOptions;
import io.wellkeeper.spring.InTransaction;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What {@code wellkeeper.*} says. A key that is not known ends the start. What is not set is as in
 * {@link io.wellkeeper.ClientOptions#defaults()}.
 *
 * @param enabled Whether a client of locks is configured at all.
 * @param uri Where the locks are kept, such as redis://user:password@host:6379. It goes before what the application is connected
 *     to already, and its parameters go before the other properties here.
 * @param store Which of the stores that the application is connected to keeps the locks, where there are several and no uri is
 *     set.
 * @param clientName What the client is called, for whoever looks at a queue. By default the name of the application.
 * @param sessionTimeout After how long without a sign of life from this process its locks pass to others.
 * @param storeTimeout How long a call that does not wait in a queue waits for the store's answer.
 * @param closeTimeout How long closing the client waits until the store has acknowledged what was given back.
 * @param drain Whether the application, when it is closed, waits until the locks that it holds are released, for
 *     spring.lifecycle.timeout-per-shutdown-phase at most.
 * @param ssl Encryption of the connection that uri names.
 * @param locked How methods behave that are annotated with @Locked.
 * @param lockDefaults How locks behave for which no options are given.
 * @param metrics What is counted and timed.
 */
@ConfigurationProperties(prefix = "wellkeeper", ignoreUnknownFields = false)
public record WellkeeperProperties(
        @DefaultValue("true") boolean enabled,
        @Nullable String uri,
        @Nullable ReusedStore store,
        @Nullable String clientName,
        @Nullable Duration sessionTimeout,
        @Nullable Duration storeTimeout,
        @Nullable Duration closeTimeout,
        @DefaultValue("true") boolean drain,
        @DefaultValue Ssl ssl,
        @DefaultValue Locked locked,
        @DefaultValue LockDefaults lockDefaults,
        @DefaultValue Metrics metrics) {

    /**
     * Encryption.
     *
     * @param bundle The name of the SSL bundle with the keys and certificates; for rediss: and its relatives.
     */
    public record Ssl(@Nullable String bundle) {}

    /**
     * As {@link io.wellkeeper.spring.LockedSettings}.
     *
     * @param order Of the advisor among others: those with smaller numbers come before it, outside of the lock. By default inside of
     *     security checks, and outside of transactions and caches.
     * @param inTransaction What methods do where a transaction is active already when they acquire their lock.
     */
    public record Locked(@Nullable Integer order, @Nullable InTransaction inTransaction) {}

    /**
     * As {@code LockMetrics}.
     *
     * @param declared Groups of locks whose meters are there before anything happens in them, by what is acquired of the locks: lock,
     *     read, write or permits.
     */
    public record Metrics(@DefaultValue Map<Mode, List<String>> declared) {}

    /**
     * As {@link LockOptions}.
     *
     * @param handOvers How often the threads of this process may hand a lock over among themselves while others wait; 0 is strict
     *     order over all processes.
     * @param handOverTime For how long the threads of this process may hand a lock over among themselves while others wait.
     * @param reentrant Whether a thread may acquire again what it holds.
     * @param retain Whether this process keeps its place after a release while nobody else waits.
     * @param awaitRelease Whether a release waits until the store has acknowledged it.
     * @param interruptOnLoss Whether the thread that holds a lock is interrupted when the lock is lost.
     */
    public record LockDefaults(
            @Nullable Integer handOvers,
            @Nullable Duration handOverTime,
            @Nullable Boolean reentrant,
            @Nullable Boolean retain,
            @Nullable Boolean awaitRelease,
            @Nullable Boolean interruptOnLoss) {

        private LockOptions options() {
            LockOptions.Builder options = LockOptions.builder();
            if (handOvers != null) {
                options.handOvers(handOvers);
            }
            if (handOverTime != null) {
                options.handOverTime(handOverTime);
            }
            if (reentrant != null) {
                options.reentrant(reentrant);
            }
            if (retain != null) {
                options.retain(retain);
            }
            if (awaitRelease != null) {
                options.awaitRelease(awaitRelease);
            }
            if (interruptOnLoss != null) {
                options.interruptOnLoss(interruptOnLoss);
            }
            return options.build();
        }
    }

    /**
     * Sets what is set here.
     *
     * @param name of the application; may be empty
     * @throws IllegalArgumentException if a value is not allowed, saying which and why
     */
    void applyTo(ClientOptions.Builder options, String name) {
        options.clientName(clientName == null ? name : clientName).lockDefaults(lockDefaults.options());
        if (sessionTimeout != null) {
            options.sessionTimeout(sessionTimeout);
        }
        if (storeTimeout != null) {
            options.storeTimeout(storeTimeout);
        }
        if (closeTimeout != null) {
            options.closeTimeout(closeTimeout);
        }
    }

    /** Without the URI, which may have a password. */
    @Override
    public String toString() {
        return "WellkeeperProperties[" + (uri == null ? "no uri" : "with a uri") + ", store=" + store + "]";
    }
}
