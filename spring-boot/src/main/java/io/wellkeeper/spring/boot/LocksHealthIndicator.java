package io.wellkeeper.spring.boot;

import io.wellkeeper.LockClient;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.LockNames;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Up while the client has a session at the store and the store answers. Each check reads one unused queue, and acquires
 * no lock. It ends within a second, however long the store takes to answer.
 */
final class LocksHealthIndicator extends AbstractHealthIndicator implements DisposableBean {

    private static final Duration PATIENCE = Duration.ofMillis(900);
    private static final long IDLE_SECONDS = 5; // after which the thread ends
    private static final String NOBODYS = LockNames.RESERVED + "health";

    private final LockClient client;
    private final @Nullable LockActivity activity;
    private final @Nullable String store;
    private final ThreadPoolExecutor thread;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Future<?> asked; // guarded by lock

    /**
     * @param activity what the client does; null if that is not known
     * @param store the address of the store, without secrets; null if it is not known
     */
    LocksHealthIndicator(LockClient client, @Nullable LockActivity activity, @Nullable String store) {
        super("the health of the store of locks could not be found out");
        this.client = client;
        this.activity = activity;
        this.store = store;
        this.thread =
                new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread made = new Thread(task, "wellkeeper-health");
                    made.setDaemon(true);
                    return made;
                });
        thread.allowCoreThreadTimeOut(true);
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        if (store != null) {
            builder.withDetail("store", store);
        }
        if (activity != null) {
            builder.withDetail("held", activity.held()).withDetail("waiting", activity.waiting());
        }
        String problem = problem();
        builder.withDetail("sessionRemaining", client.sessionRemaining());
        if (problem == null) {
            builder.up();
        } else {
            builder.down().withDetail("problem", problem);
        }
    }

    private @Nullable String problem() {
        try {
            question().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            return null;
        } catch (TimeoutException silent) {
            return "the store has not answered for " + PATIENCE.toMillis() + " ms";
        } catch (ExecutionException failed) {
            Throwable why = failed.getCause();
            return why instanceof LockStoreException || why instanceof IllegalStateException
                    ? String.valueOf(why.getMessage())
                    : String.valueOf(why);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return "interrupted while waiting for the store";
        }
    }

    /**
     * The question that is under way, or a new one: so a store that does not answer is not asked again by each check.
     */
    private Future<?> question() {
        lock.lock();
        try {
            Future<?> current = asked;
            if (current == null || current.isDone()) {
                current = thread.submit(() -> client.admin().inspect(NOBODYS));
                asked = current;
            }
            return current;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void destroy() {
        thread.shutdown();
    }
}
