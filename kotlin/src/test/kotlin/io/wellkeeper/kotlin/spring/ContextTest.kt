package io.wellkeeper.kotlin.spring

import io.wellkeeper.LockClient
import io.wellkeeper.storekit.NoLeftovers
import io.wellkeeper.testkit.InMemoryServer
import io.wellkeeper.testkit.InMemoryTicketStore
import java.time.Duration
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit
import java.util.function.Supplier
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.extension.RegisterExtension
import org.springframework.context.annotation.AnnotationConfigApplicationContext

/** Application contexts over a store in memory. */
abstract class ContextTest {

    protected val server = InMemoryServer()

    @RegisterExtension private val noLeftovers = NoLeftovers.of(server)

    protected val store = InMemoryTicketStore(server)
    protected val other: LockClient = LockClient.over(InMemoryTicketStore(server))
    private val contexts = mutableListOf<AnnotationConfigApplicationContext>()

    @AfterEach
    fun close() {
        contexts.forEach { it.close() }
        other.close()
    }

    protected fun start(vararg classes: Class<*>): AnnotationConfigApplicationContext {
        val context = AnnotationConfigApplicationContext()
        contexts += context
        context.registerBean(LockClient::class.java, Supplier { LockClient.over(store) })
        context.register(*classes)
        context.refresh()
        return context
    }

    /** Whether anybody has a lock, or waits for it. */
    protected fun isHeld(name: String) = server.queueLength(name) > 0

    protected fun awaitQueue(name: String, length: Int) =
        await().atMost(PATIENCE).until { server.queueLength(name) == length }

    /** The request that releases a lock is on its way when a call returns. */
    protected fun awaitFree(name: String) = awaitQueue(name, 0)

    /** Ends the session of the context's client, and waits until it knows. */
    protected fun loseSession(client: LockClient) {
        val lost = CompletableFuture<Boolean>()
        client.lock("probe").tryAcquire().orElseThrow().onLost { lost.complete(true) }
        store.expireSessions()
        lost.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join()
    }

    /** Work that goes on when it has been cancelled, until it may end. */
    protected class Lingering {

        val begun = CompletableDeferred<Boolean>()
        val cancelled = CompletableDeferred<Boolean>()
        val mayEnd = CompletableDeferred<Boolean>()

        suspend fun work(): Boolean =
            try {
                begun.complete(true)
                awaitCancellation()
            } finally {
                withContext(NonCancellable) {
                    cancelled.complete(true)
                    mayEnd.await()
                }
            }
    }

    /** Of work that somebody has cancelled. */
    protected fun assertHeldUntilOver(name: String, lingering: Lingering) {
        run { lingering.cancelled.await() }
        val next = other.lock(name).acquireAsync()
        awaitQueue(name, 2)
        assertThat(next).isNotDone()
        lingering.mayEnd.complete(true)
        next.join().close()
        awaitFree(name)
    }

    protected fun <T> run(block: suspend CoroutineScope.() -> T): T = runBlocking {
        withTimeout(PATIENCE.toMillis(), block)
    }

    protected companion object {
        val PATIENCE: Duration = Duration.ofSeconds(60)
    }
}
