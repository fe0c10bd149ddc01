package io.wellkeeper.kotlin.spring

import io.wellkeeper.LockClient
import io.wellkeeper.LockHandle
import io.wellkeeper.LockLostException
import io.wellkeeper.spring.EnableLocked
import io.wellkeeper.spring.FencingToken
import io.wellkeeper.spring.LockNotAcquiredException
import io.wellkeeper.spring.Locked
import java.io.ByteArrayOutputStream
import java.io.PrintStream
import java.util.Optional
import java.util.concurrent.CompletableFuture
import kotlin.coroutines.ContinuationInterceptor
import kotlin.coroutines.coroutineContext
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineName
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import org.springframework.aop.PointcutAdvisor
import org.springframework.aop.support.AopUtils
import org.springframework.context.annotation.Configuration
import org.springframework.context.annotation.Import

/** Suspending functions that are guarded. */
class SuspendingTest : ContextTest() {

    @Configuration(proxyBeanMethods = false)
    @EnableLocked
    @Import(Works::class, Inner::class, Ships::class, OrdersSaved::class)
    open class Guarded

    class OwnException(message: String) : Exception(message)

    open class Works(private val inner: Inner) {

        @Locked("order/#{#order}")
        open suspend fun <T> order(order: Long, work: suspend () -> T): T {
            yield()
            return work()
        }

        @Locked("order/#{#p0}") open suspend fun unit(order: Long, work: suspend () -> Unit) = work()

        @Locked("token")
        open suspend fun token(handle: LockHandle?, @FencingToken token: Long, before: Int): Boolean {
            yield()
            return handle!!.fencingToken() == token && before == 7
        }

        @Locked("outer")
        open suspend fun nested(work: suspend () -> Unit) {
            inner.inner(work)
        }

        @Locked("busy", waitFor = "500ms") open suspend fun brief(): String = "in"

        @Locked("busy", onBusy = Locked.OnBusy.SKIP) open suspend fun skipUnit(): Unit = throw OwnException("in")

        @Locked("busy", onBusy = Locked.OnBusy.SKIP) open suspend fun skipNullable(): String? = "in"

        @Locked("busy", onBusy = Locked.OnBusy.SKIP) open suspend fun skipBoolean(): Boolean = true

        @Locked("busy", onBusy = Locked.OnBusy.SKIP)
        open suspend fun skipOptional(): Optional<String> = Optional.of("in")

        @Locked("any") open suspend fun any(value: Any?): Any? = value

        @Locked("long", maxHold = "1ms")
        open suspend fun long(work: suspend () -> Unit) {
            work()
        }
    }

    open class Inner {

        @Locked("inner")
        open suspend fun inner(work: suspend () -> Unit) {
            work()
        }
    }

    interface Shipping {

        @Locked("ship/#{#id}") suspend fun ship(id: Long, work: suspend () -> Boolean): Boolean
    }

    class Ships : Shipping {

        override suspend fun ship(id: Long, work: suspend () -> Boolean): Boolean = work()
    }

    interface Saved<T> {

        suspend fun save(entity: T, work: suspend () -> Boolean): Boolean
    }

    open class OrdersSaved : Saved<String> {

        @Locked("saved/#{#entity.length()}")
        override suspend fun save(entity: String, work: suspend () -> Boolean): Boolean = work()
    }

    private val context = start(Guarded::class.java)
    private val works = context.getBean(Works::class.java)

    @Test
    fun suspending_ofAClass_isHeldWhileItRuns_onWhateverThread() {
        assertThat(AopUtils.isCglibProxy(works)).isTrue()
        val held = run {
            works.order(1) {
                val before = isHeld("order/1")
                before && withContext(Dispatchers.Default) { isHeld("order/1") }
            }
        }

        assertThat(held).isTrue()
        awaitFree("order/1")
    }

    @Test
    fun suspending_ofAnOpenClass_hasABodyInAMethodThatIsNotGuarded() {
        val guarded = context.getBeansOfType(PointcutAdvisor::class.java).values
            .map { it.pointcut }
            .single { it.javaClass.name.startsWith("io.wellkeeper") }
            .methodMatcher
        val bodies = Works::class.java.declaredMethods.filter { it.isSynthetic && it.isAnnotationPresent(Locked::class.java) }

        assertThat(bodies).isNotEmpty().noneMatch { guarded.matches(it, Works::class.java) }
    }

    @Test
    fun suspending_ofAnInterface_isHeldWhileItRuns() {
        val shipping = context.getBean(Shipping::class.java)

        assertThat(AopUtils.isJdkDynamicProxy(shipping)).isTrue()
        assertThat(run { shipping.ship(1) { isHeld("ship/1") } }).isTrue()
        awaitFree("ship/1")
    }

    @Test
    fun suspending_ofAGenericInterface_isHeldWhileItRuns() {
        val saved: Saved<String> = context.getBean(Saved::class.java).let { @Suppress("UNCHECKED_CAST") (it as Saved<String>) }

        assertThat(run { saved.save("four") { isHeld("saved/4") } }).isTrue()
        awaitFree("saved/4")
    }

    @Test
    fun suspending_manyOnOneThread_neverTwoInside() {
        var counter = 0

        run {
            coroutineScope {
                repeat(30) {
                    launch {
                        works.unit(1) {
                            val read = counter
                            yield()
                            counter = read + 1
                        }
                    }
                }
            }
        }

        assertThat(counter).isEqualTo(30)
        awaitFree("order/1")
    }

    @Test
    fun suspending_runsInTheContextOfItsCaller() {
        val names = run {
            val mine = coroutineContext[ContinuationInterceptor]
            withContext(CoroutineName("caller")) {
                works.order(1) { listOf(coroutineContext[CoroutineName]?.name, coroutineContext[ContinuationInterceptor] === mine) }
            }
        }

        assertThat(names).isEqualTo(listOf("caller", true))
    }

    @Test
    fun suspending_isGivenWhatItHolds() {
        assertThat(run { works.token(null, 0, 7) }).isTrue()
    }

    @Test
    fun suspending_withinAnother_holdsBoth() {
        run { works.nested { assertThat(isHeld("outer") && isHeld("inner")).isTrue() } }

        awaitFree("outer")
        awaitFree("inner")
    }

    @Test
    fun suspending_thatThrows_releases_andThrowsTheSame() {
        val thrown = assertThrows<OwnException> { run { works.order(1) { throw OwnException("own") } } }

        assertThat(thrown).hasMessage("own")
        awaitFree("order/1")
        assertThat(assertThrows<OwnException> { run { works.skipUnit() } }).hasMessage("in")
    }

    @Test
    fun suspending_thatDoesNotGetTheLockInTime_throws() {
        val taken = other.lock("busy").tryAcquire().orElseThrow()

        assertThrows<LockNotAcquiredException> { run { works.brief() } }

        awaitQueue("busy", 1)
        taken.close()
        awaitFree("busy")
        assertThat(run { works.brief() }).isEqualTo("in")
        awaitFree("busy")
    }

    @Test
    fun suspending_thatIsSkipped_returnsNothing() {
        val taken = other.lock("busy").tryAcquire().orElseThrow()

        run {
            works.skipUnit()
            assertThat(works.skipNullable()).isNull()
            assertThat(works.skipBoolean()).isFalse()
            assertThat(works.skipOptional()).isEmpty()
        }

        taken.close()
        awaitFree("busy")
        run {
            assertThat(works.skipNullable()).isEqualTo("in")
            assertThat(works.skipBoolean()).isTrue()
            assertThat(works.skipOptional()).contains("in")
        }
        awaitFree("busy")
    }

    @Test
    fun suspending_thatIsCancelledWhileItWaits_leavesTheQueue() {
        val taken = other.lock("order/1").tryAcquire().orElseThrow()
        run {
            val waiting = launch(Dispatchers.Default) { works.order(1) { error("runs") } }
            awaitQueue("order/1", 2)

            waiting.cancelAndJoin()

            awaitQueue("order/1", 1)
        }
        taken.close()
        awaitFree("order/1")
    }

    @Test
    fun suspending_thatIsCancelledWhenItMayJustHaveAcquired_leavesNothing() {
        run {
            List(200) { i ->
                val call = launch(Dispatchers.Default) { works.order(1) { awaitCancellation() } }
                if (i % 2 == 0) Thread.yield()
                call.apply { cancel() }
            }
                .joinAll()
        }

        awaitFree("order/1")
    }

    @Test
    fun suspending_thatIsCancelled_holdsUntilItHasEnded() {
        val lingering = Lingering()
        run {
            val call = launch(Dispatchers.Default) { works.unit(1) { lingering.work() } }
            lingering.begun.await()

            call.cancelAndJoin()
        }

        assertHeldUntilOver("order/1", lingering)
    }

    @Test
    fun suspending_duringWhichTheLockIsLost_throws() {
        val client = context.getBean(LockClient::class.java)

        assertThrows<LockLostException> { run { works.order(1) { loseSession(client) } } }
    }

    @Test
    fun suspending_thatIsCancelled_andItsLockLost_isJustCancelled() {
        val client = context.getBean(LockClient::class.java)

        run {
            val call = async(Dispatchers.Default, CoroutineStart.UNDISPATCHED) {
                works.unit(1) {
                    loseSession(client)
                    throw CancellationException("own")
                }
            }
            assertThat(assertThrows<CancellationException> { call.await() }).hasMessage("own")
        }
    }

    @Test
    fun suspending_ofAnything_thatReturnsSomethingLate_isRefused() {
        run { assertThat(works.any("plain")).isEqualTo("plain") }
        run { assertThat(works.any(null)).isNull() }
        for (late in listOf(CompletableDeferred(1), CompletableFuture.completedFuture(1))) {
            val thrown = assertThrows<IllegalStateException> { run { works.any(late) } }
            assertThat(thrown).hasMessageContaining("does not declare it")
            awaitFree("any")
        }
    }

    @Test
    fun suspending_thatLasts_isToldOf_andKeepsItsLock() {
        val told = ByteArrayOutputStream()
        val before = System.err
        System.setErr(PrintStream(told, true))
        try {
            run {
                works.long {
                    withContext(Dispatchers.IO) {
                        await().atMost(PATIENCE).until { told.toString().contains("Works.long(Function1) holds [long]") }
                    }
                    assertThat(isHeld("long")).isTrue()
                }
            }
        } finally {
            System.setErr(before)
        }
        awaitFree("long")
    }
}
