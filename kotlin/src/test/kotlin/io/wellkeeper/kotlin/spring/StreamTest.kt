package io.wellkeeper.kotlin.spring

import io.wellkeeper.LockClient
import io.wellkeeper.LockLostException
import io.wellkeeper.spring.EnableLocked
import io.wellkeeper.spring.Locked
import java.util.concurrent.atomic.AtomicInteger
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import org.springframework.context.annotation.Configuration
import org.springframework.context.annotation.Import

/** Guarded methods that return flows, or something deferred. */
class StreamTest : ContextTest() {

    @Configuration(proxyBeanMethods = false) @EnableLocked @Import(Works::class) open class Guarded

    class OwnException(message: String) : Exception(message)

    open class Works {

        @Locked("flow") open fun <T> flow(work: suspend () -> T, times: Int): Flow<T> = flow { repeat(times) { emit(work()) } }

        @Locked("flow/#{#times}")
        open suspend fun <T> lateFlow(work: suspend () -> T, times: Int): Flow<T> {
            val first = work()
            return flow {
                emit(first)
                repeat(times - 1) { emit(work()) }
            }
        }

        @Locked("deferred") open fun <T> deferred(work: () -> Deferred<T>): Deferred<T> = work()
    }

    private val context = start(Guarded::class.java)
    private val works = context.getBean(Works::class.java)

    @Test
    fun flow_isHeldForEachCollection() {
        val flow = works.flow({ isHeld("flow") }, 3)
        assertThat(isHeld("flow")).isFalse()

        repeat(2) {
            assertThat(run { flow.toList() }).containsExactly(true, true, true)
            awaitFree("flow")
        }
    }

    @Test
    fun flow_ofWhichSomeIsTaken_releases() {
        assertThat(run { works.flow({ 1 }, 1_000).take(3).toList() }).containsExactly(1, 1, 1)

        awaitFree("flow")
    }

    @Test
    fun flow_thatFails_releases_andFailsTheSame() {
        val thrown = assertThrows<OwnException> { run { works.flow({ throw OwnException("own") }, 1).toList() } }

        assertThat(thrown).hasMessage("own")
        awaitFree("flow")
    }

    @Test
    fun flow_thatIsCancelled_holdsUntilItsWorkHasEnded() {
        val lingering = Lingering()
        val flow = works.flow(lingering::work, 1)
        run {
            val collecting = launch(Dispatchers.Default) { flow.toList() }
            lingering.begun.await()

            collecting.cancelAndJoin()
        }

        assertHeldUntilOver("flow", lingering)
    }

    @Test
    fun flow_ofASuspendingFunction_isHeldForEachCollection() {
        repeat(2) {
            assertThat(run { works.lateFlow({ isHeld("flow/3") }, 3).toList() }).containsExactly(true, true, true)
            awaitFree("flow/3")
        }
        assertThat(run { works.lateFlow({ 1 }, 1_000).take(3).toList() }).containsExactly(1, 1, 1)
        awaitFree("flow/1000")
    }

    @Test
    fun deferred_isHeldUntilItIsComplete() {
        val work = CompletableDeferred<String>()
        val result = works.deferred { work }
        awaitQueue("deferred", 1)

        work.complete("done")

        assertThat(run { result.await() }).isEqualTo("done")
        awaitFree("deferred")
    }

    @Test
    fun deferred_thatFails_releases_andFailsTheSame() {
        val failing = works.deferred { CompletableDeferred<String>().apply { completeExceptionally(OwnException("own")) } }
        assertThat(assertThrows<OwnException> { run { failing.await() } }).hasMessage("own")
        awaitFree("deferred")

        val throwing = works.deferred<String> { throw OwnException("thrown") }
        assertThat(assertThrows<OwnException> { run { throwing.await() } }).hasMessage("thrown")
        awaitFree("deferred")
    }

    @Test
    fun deferred_duringWhichTheLockIsLost_fails() {
        val client = context.getBean(LockClient::class.java)
        val work = CompletableDeferred<String>()
        val called = CompletableDeferred<Boolean>()
        val result =
            works.deferred {
                called.complete(true)
                work
            }
        run { called.await() }

        loseSession(client)
        work.complete("late")

        assertThrows<LockLostException> { run { result.await() } }
    }

    @Test
    fun deferred_thatIsCancelled_cancelsTheWork_andHoldsUntilThatHasEnded() {
        val lingering = Lingering()
        val result = works.deferred { CoroutineScope(Dispatchers.Default).async { lingering.work() } }
        run { lingering.begun.await() }

        result.cancel()

        assertHeldUntilOver("deferred", lingering)
    }

    @Test
    fun deferred_thatIsCancelledWhileItWaits_neverBegins() {
        val taken = other.lock("deferred").tryAcquire().orElseThrow()
        val result = works.deferred<String> { error("called") }
        awaitQueue("deferred", 2)

        result.cancel()

        awaitQueue("deferred", 1)
        taken.close()
        awaitFree("deferred")
    }

    @Test
    fun deferred_thatIsCancelledWhenItMayJustHaveAcquired_neverRunsWithoutTheLock() {
        val unguarded = AtomicInteger()

        repeat(200) { i ->
            val result =
                works.deferred {
                    if (!isHeld("deferred")) unguarded.incrementAndGet()
                    CompletableDeferred<String>()
                }
            if (i % 2 == 0) Thread.yield()
            result.cancel()
        }

        awaitFree("deferred")
        assertThat(unguarded).hasValue(0)
    }
}
