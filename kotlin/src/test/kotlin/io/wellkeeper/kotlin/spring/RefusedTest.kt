package io.wellkeeper.kotlin.spring

import io.wellkeeper.spring.EnableLocked
import io.wellkeeper.spring.FencingToken
import io.wellkeeper.spring.InvalidLockedMethodException
import io.wellkeeper.spring.Locked
import java.util.concurrent.CompletableFuture
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.Job
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.StateFlow
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.assertThrows
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.MethodSource
import org.springframework.beans.factory.BeanCreationException
import org.springframework.context.annotation.Configuration
import reactor.core.publisher.Mono

/** Methods in Kotlin that cannot be guarded. */
class RefusedTest : ContextTest() {

    @Configuration(proxyBeanMethods = false) @EnableLocked open class Enabled

    open class SkipsText {
        @Locked("x", onBusy = Locked.OnBusy.SKIP) open suspend fun call(): String = "in"
    }

    open class SkipsFlow {
        @Locked("x", onBusy = Locked.OnBusy.SKIP) open suspend fun call(): Flow<String>? = null
    }

    open class NameOfRest {
        @Locked("x/#{#p1}") open suspend fun call(id: Long) = id
    }

    open class NameOfFilled {
        @Locked("x/#{#token}") open suspend fun call(@FencingToken token: Long) = token
    }

    open class SuspendsForDeferred {
        @Locked("x") open suspend fun call(): Deferred<String>? = null
    }

    open class SuspendsForFuture {
        @Locked("x") open suspend fun call(): CompletableFuture<String>? = null
    }

    open class SuspendsForMono {
        @Locked("x") open suspend fun call(): Mono<String>? = null
    }

    open class SuspendsForState {
        @Locked("x") open suspend fun call(): StateFlow<String>? = null
    }

    open class SuspendsForSequence {
        @Locked("x") open suspend fun call(): Sequence<String>? = null
    }

    open class ReturnsState {
        @Locked("x") open fun call(): StateFlow<String>? = null
    }

    open class ReturnsJob {
        @Locked("x") open fun call(): Job? = null
    }

    @ParameterizedTest
    @MethodSource("refused")
    fun method_thatCannotBeGuarded_isRefused(bean: Class<*>, because: String) {
        val refused = assertThrows<BeanCreationException> { start(Enabled::class.java, bean) }

        assertThat(refused.cause)
            .isInstanceOf(InvalidLockedMethodException::class.java)
            .hasMessageContaining(bean.simpleName + ".call(")
            .hasMessageNotContaining("Continuation")
            .hasMessageContaining(because)
        assertThat(isHeld("x")).isFalse()
    }

    companion object {

        @JvmStatic
        fun refused() =
            mapOf(
                    SkipsText::class to "this one returns java.lang.String",
                    SkipsFlow::class to "this one returns kotlinx.coroutines.flow.Flow",
                    NameOfRest::class to "no parameter #p1",
                    NameOfFilled::class to "no parameter #token",
                    SuspendsForDeferred::class to "returns a kotlinx.coroutines.Deferred",
                    SuspendsForFuture::class to "returns a java.util.concurrent.CompletableFuture",
                    SuspendsForMono::class to "returns a reactor.core.publisher.Mono",
                    SuspendsForState::class to "return what it results in, or a Flow",
                    SuspendsForSequence::class to "returns a kotlin.sequences.Sequence",
                    ReturnsState::class to "returns a kotlinx.coroutines.flow.StateFlow",
                    ReturnsJob::class to "returns a kotlinx.coroutines.Job",
                )
                .map { (bean, because) -> arrayOf(bean.java, because) }
    }
}
