package io.wellkeeper.spring;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.DistributedMultiLock;
import io.wellkeeper.DistributedReadWriteLock;
import io.wellkeeper.DistributedSemaphore;
import io.wellkeeper.Held;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockOptions;
import io.wellkeeper.LockSource;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;

/** Acquires the locks of guarded methods from the client of the application context. */
final class Locks {

    private final ObjectProvider<LockClient> clients;
    private final ObjectProvider<LeaseClient> leaseClients;
    private volatile @Nullable LockSource source;

    Locks(ObjectProvider<LockClient> clients, ObjectProvider<LeaseClient> leaseClients) {
        this.clients = clients;
        this.leaseClients = leaseClients;
    }

    /**
     * The client. Its bean is looked up when it is first needed.
     *
     * @param method the method that needs the client
     * @throws InvalidLockedMethodException if there is no client
     */
    LockSource source(LockedMethod method) {
        LockSource known = source;
        if (known == null) {
            known = clients.getIfAvailable();
            if (known == null) {
                known = leaseClients.getIfAvailable();
            }
            if (known == null) {
                throw method.invalid(
                        "there is no bean of type " + LockClient.class.getName() + " to have its lock from");
            }
            source = known;
        }
        return known;
    }

    /** Acquires the lock; empty if the call did not get it in time. */
    Optional<? extends Held> acquire(LockedMethod method, Set<String> names) throws InterruptedException {
        Duration wait = method.waitFor();
        if (method.mode() == Locked.Mode.PERMITS) {
            DistributedSemaphore semaphore = semaphore(method, names);
            return wait == null ? Optional.of(semaphore.acquire()) : semaphore.tryAcquire(wait);
        }
        if (method.several()) {
            DistributedMultiLock all = all(method, names);
            return wait == null ? Optional.of(all.acquire()) : all.tryAcquire(wait);
        }
        DistributedLock lock = lock(method, names.iterator().next());
        return wait == null ? Optional.of(lock.acquire()) : lock.tryAcquire(wait);
    }

    /**
     * As {@link #acquire}, without blocking a thread. Cancelling the future leaves the queue.
     *
     * @return a future that completes with the hold, or with an {@code Optional} of it
     */
    CompletableFuture<?> acquireAsync(LockedMethod method, Set<String> names) {
        Duration wait = method.waitFor();
        if (method.mode() == Locked.Mode.PERMITS) {
            DistributedSemaphore semaphore = semaphore(method, names);
            return wait == null ? semaphore.acquireAsync(1) : semaphore.tryAcquireAsync(1, wait);
        }
        if (method.several()) {
            DistributedMultiLock all = all(method, names);
            return wait == null ? all.acquireAsync() : all.tryAcquireAsync(wait);
        }
        DistributedLock lock = lock(method, names.iterator().next());
        return wait == null ? lock.acquireAsync() : lock.tryAcquireAsync(wait);
    }

    private DistributedSemaphore semaphore(LockedMethod method, Set<String> names) {
        LockClient client = client(method);
        return client.semaphore(names.iterator().next(), method.permits(), options(method, client));
    }

    private DistributedMultiLock all(LockedMethod method, Set<String> names) {
        List<DistributedLock> locks =
                names.stream().map(name -> lock(method, name)).toList();
        return client(method).all(locks);
    }

    private DistributedLock lock(LockedMethod method, String name) {
        if (method.mode() == Locked.Mode.EXCLUSIVE) {
            LockSource any = source(method);
            return any.lock(name, options(method, any));
        }
        LockClient client = client(method);
        DistributedReadWriteLock lock = client.readWriteLock(name, options(method, client));
        return method.mode() == Locked.Mode.READ ? lock.readLock() : lock.writeLock();
    }

    private LockClient client(LockedMethod method) {
        if (source(method) instanceof LockClient client) {
            return client;
        }
        throw method.invalid("it needs a bean of type " + LockClient.class.getName()
                + "; a LeaseClient has only exclusive locks, one at a time");
    }

    private static LockOptions options(LockedMethod method, LockSource client) {
        return method.options(client.options().lockDefaults());
    }

    /**
     * Refuses a method if there is no lock of its kind.
     *
     * @throws InvalidLockedMethodException if there is no client, or the client has no such lock
     */
    void check(LockedMethod method) {
        if (method.several() || method.mode() != Locked.Mode.EXCLUSIVE) {
            client(method);
        } else {
            source(method);
        }
    }
}
