package io.wellkeeper.kotlin.spring

import io.wellkeeper.LockClient
import io.wellkeeper.LockLostException
import io.wellkeeper.spring.EnableLocked
import io.wellkeeper.spring.InTransaction
import io.wellkeeper.spring.Locked
import java.util.concurrent.CopyOnWriteArrayList
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration
import org.springframework.context.annotation.Import
import org.springframework.transaction.IllegalTransactionStateException
import org.springframework.transaction.ReactiveTransactionManager
import org.springframework.transaction.TransactionDefinition
import org.springframework.transaction.annotation.EnableTransactionManagement
import org.springframework.transaction.annotation.Transactional
import org.springframework.transaction.reactive.AbstractReactiveTransactionManager
import org.springframework.transaction.reactive.GenericReactiveTransaction
import org.springframework.transaction.reactive.TransactionSynchronizationManager
import org.springframework.transaction.reactive.TransactionalOperator
import org.springframework.transaction.reactive.executeAndAwait
import reactor.core.publisher.Mono

/** Suspending functions in reactive transactions. */
class TransactionTest : ContextTest() {

    /** Transactions that only take note of what happens. */
    class NotedTransactions : AbstractReactiveTransactionManager() {

        val events = CopyOnWriteArrayList<String>()
        var isHeld: () -> Boolean = { false }

        private fun note(event: String) =
            Mono.fromRunnable<Void> { events += "$event, " + if (isHeld()) "held" else "free" }

        override fun doGetTransaction(current: TransactionSynchronizationManager) = Any()

        override fun doBegin(
            current: TransactionSynchronizationManager,
            transaction: Any,
            definition: TransactionDefinition,
        ) = note("begin")

        override fun doCommit(current: TransactionSynchronizationManager, status: GenericReactiveTransaction) =
            note("commit")

        override fun doRollback(current: TransactionSynchronizationManager, status: GenericReactiveTransaction) =
            note("rollback")
    }

    @Configuration(proxyBeanMethods = false)
    @EnableLocked
    @EnableTransactionManagement
    @Import(Works::class)
    open class Guarded {

        @Bean open fun transactions(): ReactiveTransactionManager = NotedTransactions()
    }

    open class Works {

        @Locked("x")
        @Transactional
        open suspend fun transactional(work: suspend () -> String): String = work()

        @Locked("x") open suspend fun plain(work: suspend () -> String): String = work()

        @Locked("x", inTransaction = InTransaction.FAIL) open suspend fun never(): String = "in"
    }

    private val context = start(Guarded::class.java)
    private val works = context.getBean(Works::class.java)
    private val transactions = context.getBean(NotedTransactions::class.java).also { it.isHeld = { isHeld("x") } }
    private val operator = TransactionalOperator.create(transactions)

    @Test
    fun transactionOfTheFunction_isWithinTheLock() {
        assertThat(run { works.transactional { "done" } }).isEqualTo("done")

        assertThat(transactions.events).containsExactly("begin, held", "commit, held")
        awaitFree("x")
    }

    @Test
    fun transactionOfTheFunction_thatIsRolledBack_isWithinTheLock() {
        assertThrows<IllegalArgumentException> { run { works.transactional { throw IllegalArgumentException("own") } } }

        assertThat(transactions.events).containsExactly("begin, held", "rollback, held")
        awaitFree("x")
    }

    @Test
    fun transactionOfTheCaller_keepsTheLockUntilItHasEnded() {
        assertThat(run { operator.executeAndAwait { works.plain { "done" } } }).isEqualTo("done")

        assertThat(transactions.events).containsExactly("begin, free", "commit, held")
        awaitFree("x")
    }

    @Test
    fun transactionOfTheCaller_duringWhichTheLockIsLost_isRolledBack() {
        val client = context.getBean(LockClient::class.java)

        assertThrows<LockLostException> {
            run {
                operator.executeAndAwait {
                    works.plain { "done" }
                    loseSession(client)
                }
            }
        }

        assertThat(transactions.events).hasSize(2).last().asString().startsWith("rollback")
    }

    @Test
    fun transactionOfTheCaller_ofAFunctionThatForbidsIt_fails() {
        assertThrows<IllegalTransactionStateException> { run { operator.executeAndAwait { works.never() } } }

        assertThat(run { works.never() }).isEqualTo("in")
    }
}
