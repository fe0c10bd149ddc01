/*
 * Locks for coroutines: none of these functions blocks a thread while it waits, and a lock that they acquire belongs
 * to no thread, so the coroutine may resume on any thread.
 *
 * Cancellation leaves the queue. If it comes at the same time as the lock, the lock is given back. If a lock was lost,
 * the caller gets a LockLostException when the action has returned, as with try-with-resources.
 */
package io.wellkeeper.kotlin

import io.wellkeeper.DistributedLock
import io.wellkeeper.DistributedMultiLock
import io.wellkeeper.DistributedSemaphore
import io.wellkeeper.LockHandle
import io.wellkeeper.MultiLockHandle
import io.wellkeeper.Permits
import java.util.Optional
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletionException
import kotlin.coroutines.resumeWithException
import kotlin.time.Duration
import kotlin.time.toJavaDuration
import kotlinx.coroutines.suspendCancellableCoroutine

/**
 * Acquires the lock, waiting for as long as that takes, and runs an action while the lock is held. Also works for the
 * read lock and the write lock of a read-write lock. It is not reentrant: an action that locks the same lock again
 * waits for itself.
 *
 * @throws io.wellkeeper.LockLostException if the lock was lost before the action returned
 */
public suspend inline fun <T> DistributedLock.withLock(action: (LockHandle) -> T): T = awaitLock().use(action)

/** As [withLock], with a deadline for the acquisition, but not for the action; null if the time passed first. */
public suspend inline fun <T : Any> DistributedLock.withLockOrNull(timeout: Duration, action: (LockHandle) -> T): T? =
    awaitLockOrNull(timeout)?.use(action)

/** As [DistributedLock.acquire], for coroutines; the caller closes the result. */
public suspend fun DistributedLock.awaitLock(): LockHandle = acquireAsync().await(LockHandle::close)

/** As [awaitLock], with a deadline; null if the time passed first. */
public suspend fun DistributedLock.awaitLockOrNull(timeout: Duration): LockHandle? =
    tryAcquireAsync(timeout.toJavaDuration()).awaitOptional()

/** Runs an action while all of the locks are held; as [DistributedLock.withLock]. */
public suspend inline fun <T> DistributedMultiLock.withLock(action: (MultiLockHandle) -> T): T = awaitLock().use(action)

/** As [DistributedMultiLock.acquire], for coroutines; the caller closes the result. */
public suspend fun DistributedMultiLock.awaitLock(): MultiLockHandle = acquireAsync().await(MultiLockHandle::close)

/** Runs an action while it has the given number of permits of a semaphore; as [DistributedLock.withLock]. */
public suspend inline fun <T> DistributedSemaphore.withPermits(permits: Int = 1, action: (Permits) -> T): T =
    awaitPermits(permits).use(action)

/** As [withPermits], with a deadline for the acquisition; null if the time passed first. */
public suspend inline fun <T : Any> DistributedSemaphore.withPermitsOrNull(
    timeout: Duration,
    permits: Int = 1,
    action: (Permits) -> T,
): T? = awaitPermitsOrNull(timeout, permits)?.use(action)

/** As [DistributedSemaphore.acquire], for coroutines; the caller closes the result. */
public suspend fun DistributedSemaphore.awaitPermits(permits: Int = 1): Permits =
    acquireAsync(permits).await(Permits::close)

/** As [awaitPermits], with a deadline; null if the time passed first. */
public suspend fun DistributedSemaphore.awaitPermitsOrNull(timeout: Duration, permits: Int = 1): Permits? =
    tryAcquireAsync(permits, timeout.toJavaDuration()).awaitOptional()

private suspend fun <T : AutoCloseable> CompletableFuture<Optional<T>>.awaitOptional(): T? =
    await { late -> late.ifPresent(AutoCloseable::close) }.orElse(null)

/**
 * Waits for a future, and cancels it when the coroutine is cancelled. The coroutine may be cancelled after the future
 * has completed and before the coroutine resumes. Then nobody would have the result, so this function gives it back.
 */
private suspend fun <T : Any> CompletableFuture<T>.await(giveBack: (T) -> Unit): T =
    suspendCancellableCoroutine { waiting ->
        whenComplete { result, failure ->
            if (failure == null) {
                waiting.resume(result) { _, late, _ ->
                    try {
                        giveBack(late)
                    } catch (lost: IllegalMonitorStateException) {
                        // the lock was lost before, and the client has told its listener
                    }
                }
            } else {
                waiting.resumeWithException((failure as? CompletionException)?.cause ?: failure)
            }
        }
        waiting.invokeOnCancellation { cancel(false) }
    }
