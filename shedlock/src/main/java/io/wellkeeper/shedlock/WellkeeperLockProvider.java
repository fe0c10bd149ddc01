package io.wellkeeper.shedlock;

import io.wellkeeper.LockHandle;
import io.wellkeeper.LockLostException;
import io.wellkeeper.LockSource;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A ShedLock {@link net.javacrumbs.shedlock.core.LockProvider} over the locks of a client: {@code @SchedulerLock(name =
 * "report")} uses the lock {@code report}, with the prefix if there is one.
 *
 * <pre>{@code
 * @Bean
 * LockProvider lockProvider(LockClient client) {
 *     return new WellkeeperLockProvider(client, "shedlock/");
 * }
 * }</pre>
 *
 * <p><b>When a process dies</b> in the midst of a job the lock is free after the client's session timeout, and not only after
 * {@code lockAtMostFor}. While the process lives, heartbeats keep the lock.
 *
 * <p><b>{@code lockAtMostFor}</b> is enforced by a timer of this process, counted from the creation of the
 * configuration. When the time is over, the timer gives the lock back though the job still runs, and logs a warning. If
 * the time is over before the store has granted the lock, the job is not run.
 *
 * <p><b>{@code lockAtLeastFor}</b> is enforced by this process too: if the job ends earlier, the process gives the lock
 * back only when the time is over. So the lock is kept while the process lives and its client is open, and <em>not
 * beyond</em>: if the process ends before that time, as in a rolling deployment, the job may run again elsewhere before
 * the time is over. Where that must not happen, use a provider that writes the time into a table.
 *
 * <p><b>Cost.</b> One round trip to lock, and none to {@linkplain SimpleLock#extend extend}; unlocking sends one
 * request and does not wait for the reply. The clocks of the servers do not matter.
 */
public final class WellkeeperLockProvider implements ExtensibleLockProvider {

    private static final Logger LOG = LoggerFactory.getLogger("io.wellkeeper");

    private final LockSource client;
    private final String prefix;
    private final ConcurrentMap<String, LockHandle> held = new ConcurrentHashMap<>(); // by ShedLock's name
    private final ConcurrentMap<Run, LockHandle> runs =
            new ConcurrentHashMap<>(); // runs that have not unlocked, also if the lock is not held any more

    /** ShedLock's name of a job, and the thread that has locked for it. */
    private record Run(String name, Thread thread) {}

    /**
     * The locks have the names that ShedLock gives, without a prefix.
     *
     * @param client the client; it stays open
     */
    public WellkeeperLockProvider(LockSource client) {
        this(client, "");
    }

    /**
     * @param client the client whose locks are used; the caller closes it, which gives back the held locks
     * @param prefix the beginning of the names of the locks, such as {@code shedlock/}
     */
    public WellkeeperLockProvider(LockSource client, String prefix) {
        this.client = client;
        this.prefix = prefix;
    }

    /**
     * Acquires the lock, if it is free.
     *
     * @throws io.wellkeeper.LockStoreException if the store refuses, or does not answer in time
     * @throws IllegalArgumentException if the name breaks a rule of {@link LockSource#lock(String)}
     */
    @Override
    public Optional<SimpleLock> lock(LockConfiguration configuration) {
        Optional<LockHandle> handle =
                client.lock(prefix + configuration.getName()).tryAcquire();
        if (handle.isPresent() && isOver(configuration.getLockAtMostUntil())) {
            LOG.warn(
                    "'{}' is not run: it took longer than {} to lock",
                    configuration.getName(),
                    configuration.getLockAtMostFor());
            end(handle.get());
            return Optional.empty();
        }
        return handle.map(got -> {
            // after a refused extension ShedLock does not unlock
            runs.keySet().removeIf(gone -> !gone.thread.isAlive());
            Run run = new Run(configuration.getName(), Thread.currentThread());
            held.put(run.name, got);
            runs.put(run, got);
            return new Job(configuration, run, got);
        });
    }

    /**
     * The number for a job to send with each write; see {@link LockHandle#fencingToken()}. A thread that has locked and
     * not unlocked gets only the token of its own lock: if that lock has ended, the method throws, even if the next job
     * of this process holds the lock by then.
     *
     * @param name ShedLock's name of a lock that this provider holds
     * @return the number to send with each write
     * @throws LockLostException if the lock was lost
     * @throws IllegalMonitorStateException if this provider does not hold it
     * @throws UnsupportedOperationException if the store cannot give a token that always grows
     */
    public long fencingToken(String name) {
        LockHandle own = runs.get(new Run(name, Thread.currentThread()));
        LockHandle handle = own == null ? held.get(name) : own;
        if (handle == null) {
            throw new IllegalMonitorStateException("lock '" + name + "' is not held by this provider");
        }
        return handle.fencingToken();
    }

    private static boolean isOver(Instant when) {
        return !ClockProvider.now().isBefore(when);
    }

    /**
     * Runs an action at a moment, unless the returned future is cancelled before. The action has a thread of its own,
     * because jobs may keep the JDK's whole common pool busy.
     */
    private static CompletableFuture<Void> schedule(Instant when, Runnable action) {
        Duration delay = Duration.between(ClockProvider.now(), when);
        CompletableFuture<Void> timer = new CompletableFuture<Void>()
                .completeOnTimeout(null, Math.max(0, delay.toMillis() + 1), TimeUnit.MILLISECONDS);
        timer.thenRunAsync(action, WellkeeperLockProvider::start);
        return timer;
    }

    private static void start(Runnable action) {
        Thread thread = new Thread(action, "wellkeeper-shedlock");
        thread.setDaemon(true);
        thread.start();
    }

    private static void end(LockHandle handle) {
        try {
            handle.close();
        } catch (LockLostException told) {
            // the client has logged the loss and told its listener, and no lock of another holder is released
        }
    }

    private final class Job extends AbstractSimpleLock {

        private final Run run;
        private final LockHandle handle;
        private final CompletableFuture<Void> timer;

        Job(LockConfiguration configuration, Run run, LockHandle handle) {
            super(configuration);
            this.run = run;
            this.handle = handle;
            this.timer = schedule(configuration.getLockAtMostUntil(), this::expire);
        }

        private void expire() {
            LOG.warn(
                    "'{}' has not unlocked within {}; others may lock it now",
                    lockConfiguration.getName(),
                    lockConfiguration.getLockAtMostFor());
            giveBack();
        }

        private void giveBack() {
            held.remove(lockConfiguration.getName(), handle);
            end(handle);
        }

        @Override
        protected void doUnlock() {
            runs.remove(run, handle);
            if (!timer.cancel(false)) {
                return; // the timer has given it back already
            }
            if (isOver(lockConfiguration.getLockAtLeastUntil())) {
                giveBack();
            } else {
                schedule(lockConfiguration.getLockAtLeastUntil(), this::giveBack);
            }
        }

        @Override
        protected Optional<SimpleLock> doExtend(LockConfiguration longer) {
            if (!timer.cancel(false)) {
                return Optional.empty();
            }
            if (!handle.isHeld()) {
                giveBack();
                return Optional.empty();
            }
            return Optional.of(new Job(longer, run, handle));
        }
    }
}
