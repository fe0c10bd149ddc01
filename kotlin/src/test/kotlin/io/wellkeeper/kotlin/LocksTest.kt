package io.wellkeeper.kotlin

import io.wellkeeper.LockClient
import io.wellkeeper.LockLostException
import io.wellkeeper.testkit.InMemoryServer
import io.wellkeeper.testkit.InMemoryTicketStore
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.Executors
import kotlin.coroutines.CoroutineContext
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.Runnable
import kotlinx.coroutines.TimeoutCancellationException
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Test

class LocksTest {

    private val server = InMemoryServer()
    private val client = LockClient.over(InMemoryTicketStore(server))
    private val other = LockClient.over(InMemoryTicketStore(server))
    private val lock = client.lock(NAME)

    @AfterEach
    fun close() {
        client.close()
        other.close()
        server.close()
    }

    private fun awaitQueue(length: Int) = await().until { server.queueLength(NAME) == length }

    @Test
    fun withLock_manyCoroutinesOfTwoClientsOnOneThread_neverTwoInside() {
        var counter = 0
        Executors.newSingleThreadExecutor().asCoroutineDispatcher().use { one ->
            runBlocking(one) {
                coroutineScope {
                    repeat(50) { i ->
                        launch {
                            val own = if (i % 2 == 0) lock else other.lock(NAME)
                            own.withLock {
                                val read = counter
                                yield()
                                counter = read + 1
                            }
                        }
                    }
                }
            }
        }
        assertThat(counter).isEqualTo(50)
        awaitQueue(0)
    }

    @Test
    fun withLock_coroutineChangesThreads_isHeldAllTheWhile(): Unit = runBlocking {
        val token = lock.withLock { held ->
            withContext(Dispatchers.IO) { held.checkHeld() }
            withContext(Dispatchers.Default) { held.fencingToken() }
        }
        assertThat(lock.withLock { it.fencingToken() }).isGreaterThan(token)
    }

    @Test
    fun withLock_readersAndWriters_excludeAsTheyShould(): Unit = runBlocking {
        val catalogue = client.readWriteLock("catalogue")
        catalogue.readLock().withLock {
            catalogue.readLock().withLock {
                assertThat(catalogue.writeLock().withLockOrNull(20.milliseconds) { 1 }).isNull()
            }
        }
        catalogue.writeLock().withLock {
            assertThat(other.readWriteLock("catalogue").readLock().withLockOrNull(20.milliseconds) { 1 }).isNull()
        }
    }

    @Test
    fun withPermits_someAreLeft_limitsHowManyAreInside(): Unit = runBlocking {
        val erp = client.semaphore("erp", 3)
        erp.withPermits(2) { permits ->
            assertThat(permits.count()).isEqualTo(2)
            assertThat(erp.withPermitsOrNull(20.milliseconds, 2) { 1 }).isNull()
            assertThat(erp.withPermitsOrNull(10.seconds) { it.count() }).isEqualTo(1)
        }
        erp.withPermits { assertThat(it.count()).isEqualTo(1) }
    }

    @Test
    fun withLock_ofAMultiLock_holdsAll(): Unit = runBlocking {
        client.all("a", "b").withLock { held ->
            assertThat(held.isHeld).isTrue()
            assertThat(other.lock("b").tryAcquire()).isEmpty()
        }
        assertThat(other.lock("b").awaitLockOrNull(10.seconds)).isNotNull()
    }

    @Test
    fun withLock_lostMeanwhile_throwsAtTheEnd() {
        assertThatThrownBy {
                runBlocking {
                    lock.withLock { held ->
                        other.admin().breakLock(NAME, "test")
                        await().until { !held.isHeld }
                    }
                }
            }
            .isInstanceOf(LockLostException::class.java)
    }

    @Test
    fun withLock_actionThrows_isReleasedAndTheExceptionStays() {
        assertThatThrownBy { runBlocking { lock.withLock { error("the action's") } } }.hasMessage("the action's")
        awaitQueue(0)
    }

    @Test
    fun withLock_clientIsClosedWhileItWaits_throws() {
        other.lock(NAME).acquire()
        assertThatThrownBy {
                runBlocking(Dispatchers.Default) {
                    launch { lock.withLock {} }
                    awaitQueue(2)
                    client.close()
                }
            }
            .isInstanceOf(IllegalStateException::class.java)
            .hasMessageContaining("closed")
    }

    @Test
    fun cancel_whileItWaits_leavesTheQueue(): Unit = runBlocking(Dispatchers.Default) {
        val held = other.lock(NAME).acquire()
        val waiting = launch { lock.withLock { error("must not come in") } }
        awaitQueue(2)

        waiting.cancel()

        awaitQueue(1)
        held.close()
        awaitQueue(0)
    }

    @Test
    fun withTimeout_whileItWaits_leavesTheQueue() {
        other.lock(NAME).acquire()
        assertThatThrownBy { runBlocking { withTimeout(20.milliseconds) { lock.withLock {} } } }
            .isInstanceOf(TimeoutCancellationException::class.java)
        awaitQueue(1)
    }

    /** Keeps what it is to run until it is told to. */
    private class HeldUp : CoroutineDispatcher() {
        val tasks = ConcurrentLinkedQueue<Runnable>()

        override fun dispatch(context: CoroutineContext, block: Runnable) {
            tasks.add(block)
        }

        fun runAll() {
            while (true) {
                (tasks.poll() ?: return).run()
            }
        }
    }

    private fun cancelAfterTheGrant(waits: suspend () -> Unit) {
        val held = other.lock(NAME).acquire()
        val heldUp = HeldUp()
        val job: Job = CoroutineScope(heldUp).launch { waits() }
        heldUp.runAll()
        awaitQueue(2)
        held.close()
        await().until { heldUp.tasks.isNotEmpty() } // the lock is there, and the coroutine has not gone on yet

        job.cancel()
        heldUp.runAll()

        assertThat(job.isCompleted).isTrue()
        awaitQueue(0)
    }

    @Test
    fun cancel_afterTheGrantAndBeforeTheCoroutineGoesOn_givesBack() {
        cancelAfterTheGrant { lock.withLock { error("must not come in") } }
    }

    @Test
    fun cancel_afterTheGrantOfATimedTry_givesBack() {
        cancelAfterTheGrant { lock.withLockOrNull(100.seconds) { error("must not come in") } }
    }

    @Test
    fun cancel_atTheSameTimeAsTheGrant_givesBackOrRuns(): Unit = runBlocking(Dispatchers.Default) {
        repeat(300) {
            val held = checkNotNull(other.lock(NAME).awaitLockOrNull(10.seconds)) { "somebody keeps the lock" }
            val waiting = launch { lock.withLock {} }
            while (server.queueLength(NAME) < 2) {
                yield()
            }
            val cancelling = launch { waiting.cancel() }
            held.close()
            cancelling.join()
            waiting.join()
        }
        awaitQueue(0)
    }

    private companion object {
        const val NAME = "orders/1"
    }
}
