package io.wellkeeper.kotlin.samples

import io.wellkeeper.LockClient
import io.wellkeeper.kotlin.*
import kotlin.time.Duration.Companion.seconds

internal interface Stock {
    fun take(amount: Int, fence: Long)
}

internal interface Erp {
    suspend fun call(order: Long)
}

/** What the sample in docs/kotlin.md speaks of. */
internal abstract class Sample(
    private val client: LockClient,
    private val stock: Stock,
    private val erp: Erp,
    private val order: Long,
) {
    abstract suspend fun read(): String

    abstract fun stale(): String

    abstract suspend fun transfer()

    suspend fun sample() {
        client.lock("orders/42").withLock { held ->
            stock.take(1, held.fencingToken())
        }
        client.readWriteLock("catalogue").readLock().withLockOrNull(5.seconds) { read() } ?: stale()
        client.semaphore("legacy-erp", 5).withPermits(2) { erp.call(order) }
        client.all("accounts/17", "accounts/42").withLock { transfer() }
    }
}
