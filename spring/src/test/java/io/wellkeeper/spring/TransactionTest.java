package io.wellkeeper.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wellkeeper.LockClient;
import io.wellkeeper.LockLostException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** No lock is released before the commit of what was done under it, and no commit comes after a loss. */
class TransactionTest extends ContextTest {

    private static final String LOCK = "counter";

    private final Database database = new Database(server, LOCK);

    /** Both at their defaults. */
    @Configuration(proxyBeanMethods = false)
    @EnableLocked
    @EnableTransactionManagement
    @Import(Counter.class)
    static class Defaults {}

    /** The advisor of transactions is registered first. */
    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    @Import({Counter.class, LocksAfterwards.class})
    static class TransactionsFirst {}

    @Configuration(proxyBeanMethods = false)
    @EnableLocked
    static class LocksAfterwards {}

    /** The advisor of transactions is registered first, and that of locks has the same order. */
    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    @Import({Counter.class, LastLocks.class})
    static class SameOrder {}

    @Configuration(proxyBeanMethods = false)
    @EnableLocked(order = Ordered.LOWEST_PRECEDENCE)
    static class LastLocks {}

    /** As people do who need method security outside of transactions: no default order can be outside of this. */
    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(order = 0)
    @EnableLocked
    @Import(Counter.class)
    static class TransactionsOutermost {}

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(order = 0)
    @EnableLocked(order = Ordered.LOWEST_PRECEDENCE - 100)
    @Import(Counter.class)
    static class TransactionsOutermostAndLocksBelow {}

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(order = 0)
    @EnableLocked(inTransaction = InTransaction.FAIL)
    @Import(Counter.class)
    static class FailsInTransactions {}

    /** Methods that read, think and write. */
    static class Counter {

        private final Database database;

        Counter(Database database) {
            this.database = database;
        }

        @Locked(LOCK)
        @Transactional
        public void increment() {
            database.write(database.read() + 1);
        }

        @Locked(LOCK)
        @Transactional
        public <T> T both(Callable<T> work) throws Exception {
            return work.call();
        }

        @Locked(LOCK)
        @Transactional(rollbackFor = Exception.class)
        public void failing(Exception why) throws Exception {
            database.write(-1);
            throw why;
        }

        @Locked(LOCK)
        public <T> T locked(Callable<T> work) throws Exception {
            return work.call();
        }

        @Locked("another")
        public <T> T another(Callable<T> work) throws Exception {
            return work.call();
        }

        @Locked(LOCK)
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public <T> T lockedAnew(Callable<T> work) throws Exception {
            return work.call();
        }

        @Locked("another")
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public <T> T anotherAnew(Callable<T> work) throws Exception {
            return work.call();
        }

        @Locked("another")
        @Transactional(propagation = Propagation.NOT_SUPPORTED)
        public <T> T anotherWithout(Callable<T> work) throws Exception {
            return work.call();
        }

        @Locked(value = LOCK, inTransaction = InTransaction.FAIL)
        public void never() {}

        @Locked(value = LOCK, inTransaction = InTransaction.ALLOW)
        public void allowed() {}

        @Locked(value = LOCK, inTransaction = InTransaction.RELEASE_AFTER_COMPLETION)
        public void kept() {}

        @Transactional
        public <T> T transactional(Callable<T> work) throws Exception {
            return work.call();
        }
    }

    /** A context over the database and the store, as each process has. */
    private AnnotationConfigApplicationContext context(Class<?> configuration) {
        return start(
                context -> {
                    context.registerBean(Database.class, () -> database);
                    context.registerBean(DataSourceTransactionManager.class, database::transactions);
                },
                configuration);
    }

    private Counter counter(Class<?> configuration) {
        return context(configuration).getBean(Counter.class);
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                Defaults.class,
                TransactionsFirst.class,
                SameOrder.class,
                TransactionsOutermost.class,
                TransactionsOutermostAndLocksBelow.class
            })
    void method_thatIsBoth_holdsItsLockUntilItsTransactionHasEnded(Class<?> configuration) throws Exception {
        Counter counter = counter(configuration);
        Exception own = new Exception("own");

        counter.increment();
        awaitFree(LOCK);
        assertThatThrownBy(() -> counter.failing(own)).isSameAs(own);
        awaitFree(LOCK);

        assertThat(database.ends()).containsExactly("commit, held", "rollback, held");
        assertThat(database.read()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                Defaults.class,
                TransactionsFirst.class,
                SameOrder.class,
                TransactionsOutermost.class,
                TransactionsOutermostAndLocksBelow.class
            })
    void method_thatIsBoth_ofTwoProcesses_losesNoUpdate(Class<?> configuration) {
        List<Counter> counters = List.of(counter(configuration), counter(configuration));

        List<CompletableFuture<String>> threads = List.of(0, 1, 2, 3).stream()
                .map(thread -> fork(() -> {
                    for (int i = 0; i < 10; i++) {
                        counters.get(thread % 2).increment();
                    }
                    return "done";
                }))
                .toList();
        threads.forEach(ContextTest::get);

        assertThat(database.read()).isEqualTo(40);
    }

    @ParameterizedTest
    @ValueSource(classes = {Defaults.class, TransactionsFirst.class, SameOrder.class, TransactionsOutermost.class})
    void lock_thatIsLostInTheMethod_rollsTheTransactionBack(Class<?> configuration) {
        AnnotationConfigApplicationContext context = context(configuration);
        Counter counter = context.getBean(Counter.class);

        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> counter.both(() -> {
                    database.write(13);
                    loseSession(context.getBean(LockClient.class));
                    return "late";
                }));

        assertThat(database.read()).isZero();
    }

    @Test
    void lock_thatIsLost_rollsBackEachTransactionThatEndsUnderIt() throws Exception {
        AnnotationConfigApplicationContext context = context(Defaults.class);
        Counter counter = context.getBean(Counter.class);

        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> counter.locked(() -> counter.another(() -> {
                    counter.transactional(() -> {
                        database.write(1);
                        return "before";
                    });
                    loseSession(context.getBean(LockClient.class));
                    assertThatExceptionOfType(LockLostException.class)
                            .isThrownBy(() -> counter.transactional(() -> {
                                database.write(2);
                                return "after";
                            }));
                    return "late";
                })));

        assertThat(database.read()).isEqualTo(1);
        counter.transactional(() -> {
            database.write(3);
            return "under no lock";
        });
        assertThat(database.read()).isEqualTo(3);
    }

    @Test
    void lock_thatIsLostAfterItsMethod_butBeforeTheCommit_rollsTheTransactionBack() {
        AnnotationConfigApplicationContext context = context(Defaults.class);
        Counter counter = context.getBean(Counter.class);

        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> counter.transactional(() -> {
                    counter.increment();
                    loseSession(context.getBean(LockClient.class));
                    return "late";
                }));

        assertThat(database.read()).isZero();
    }

    @Test
    void lock_thatIsLostWhenTheTransactionIsCommitted_isToldInTheLog() throws Exception {
        AnnotationConfigApplicationContext context = context(Defaults.class);
        Counter counter = context.getBean(Counter.class);

        counter.transactional(() -> {
            counter.increment();
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    loseSession(context.getBean(LockClient.class));
                }
            });
            return "done";
        });

        assertThat(log.text()).contains("is committed: lock '" + LOCK + "' was lost");
        assertThat(database.read()).isEqualTo(1);
    }

    @Test
    void template_aroundAGuardedMethod_keepsTheLockUntilItHasCommitted() throws Exception {
        AnnotationConfigApplicationContext context = context(Defaults.class);
        Counter counter = context.getBean(Counter.class);
        TransactionTemplate template = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));

        template.executeWithoutResult(transaction -> {
            counter.increment();
            assertThat(isHeld(LOCK)).isTrue();
        });
        awaitFree(LOCK);
        template.executeWithoutResult(transaction -> {
            counter.increment();
            transaction.setRollbackOnly();
        });
        awaitFree(LOCK);

        assertThat(database.ends()).containsExactly("commit, held", "rollback, held");
    }

    @Test
    void template_withinAGuardedMethod_commitsUnderTheLock() throws Exception {
        AnnotationConfigApplicationContext context = context(Defaults.class);
        TransactionTemplate template = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));

        context.getBean(Counter.class).locked(() -> {
            template.executeWithoutResult(transaction -> database.write(7));
            return "done";
        });

        assertThat(database.ends()).containsExactly("commit, held");
    }

    @Test
    void call_ofTheSameLockAgainInOneTransaction_doesNotWaitForItself() throws Exception {
        Counter counter = counter(Defaults.class);
        int[] requests = new int[2];

        counter.transactional(() -> {
            counter.increment();
            requests[0] = server.requests();
            counter.increment();
            requests[1] = server.requests();
            return "done";
        });
        awaitFree(LOCK);

        assertThat(database.read()).isEqualTo(2);
        assertThat(requests[1]).isEqualTo(requests[0]);
        assertThat(database.ends()).containsExactly("commit, held");
    }

    @ParameterizedTest
    @ValueSource(classes = {Defaults.class, TransactionsFirst.class, SameOrder.class, TransactionsOutermost.class})
    void requiresNew_withinAGuardedTransaction_endsByItself_andLeavesTheOuterLock(Class<?> configuration)
            throws Exception {
        Counter counter = counter(configuration);

        counter.transactional(() -> {
            counter.increment();
            counter.anotherAnew(() -> isHeld("another"));
            awaitFree("another");
            assertThat(isHeld(LOCK)).isTrue();
            return "done";
        });
        awaitFree(LOCK);

        assertThat(database.ends()).containsExactly("commit, held", "commit, held");
    }

    @Test
    void requiresNew_ofTheLockOfTheTransactionThatItSuspends_doesNotWaitForIt() throws Exception {
        Counter counter = counter(TransactionsOutermost.class);

        counter.transactional(() -> {
            counter.locked(() -> "held until the commit");
            counter.lockedAnew(() -> "in");
            assertThat(isHeld(LOCK)).isTrue();
            return "done";
        });
        awaitFree(LOCK);

        assertThat(database.ends()).containsExactly("commit, held", "commit, held");
    }

    @Test
    void requiresNew_withinATransactionThatIsOutermost_keepsItsLockUntilItsOwnCommit() throws Exception {
        Counter counter = counter(TransactionsOutermost.class);

        counter.transactional(() -> {
            counter.lockedAnew(() -> "in");
            awaitFree(LOCK);
            return "done";
        });

        assertThat(database.ends()).containsExactly("commit, held", "commit, free");
    }

    @ParameterizedTest
    @ValueSource(classes = {Defaults.class, TransactionsOutermost.class})
    void suspendedTransaction_keepsNothingThatIsAcquiredMeanwhile(Class<?> configuration) throws Exception {
        Counter counter = counter(configuration);

        counter.transactional(() -> {
            counter.increment();
            counter.anotherWithout(() -> isHeld("another"));
            awaitFree("another");
            assertThat(isHeld(LOCK)).isTrue();
            return "done";
        });

        awaitFree(LOCK);
    }

    @Test
    void twoDatabases_bothCommitUnderTheLock_andRollBackIfItIsLost() throws Exception {
        Database second = new Database(server, LOCK);
        AnnotationConfigApplicationContext context = context(Defaults.class);
        Counter counter = context.getBean(Counter.class);
        AnnotationConfigApplicationContext other = start(
                more -> more.registerBean(DataSourceTransactionManager.class, second::transactions),
                LocksAfterwards.class);
        TransactionTemplate template = new TransactionTemplate(other.getBean(PlatformTransactionManager.class));

        counter.both(() -> {
            template.executeWithoutResult(transaction -> second.write(1));
            return "done";
        });
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> counter.both(() -> {
                    context.getBean(LockClient.class).close();
                    template.executeWithoutResult(transaction -> second.write(2));
                    return "late";
                }));

        assertThat(second.ends()).startsWith("commit, held");
        assertThat(second.read()).isEqualTo(1);
        assertThat(database.ends()).startsWith("commit, held");
        assertThat(database.ends()).hasSize(2).last().asString().startsWith("rollback");
    }

    @Test
    void call_afterTheTransactionHasCompleted_isOfNoTransaction() throws Exception {
        Counter counter = counter(Defaults.class);
        CompletableFuture<Boolean> held = new CompletableFuture<>();

        counter.transactional(() -> {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCompletion(int status) {
                    try {
                        held.complete(counter.locked(() -> isHeld(LOCK)));
                    } catch (Exception failed) {
                        held.completeExceptionally(failed);
                    }
                }
            });
            return "done";
        });

        assertThat(get(held)).isTrue();
        awaitFree(LOCK);
    }

    @Test
    void call_afterTheCommit_leavesNothingToTheNextTransactionOfItsThread() throws Exception {
        Counter counter = counter(Defaults.class);

        counter.transactional(() -> {
            afterCommit(() -> counter.another(() -> "done"));
            return "done";
        });
        awaitFree("another");
        counter.transactional(() -> counter.locked(() -> "done"));

        awaitFree(LOCK);
    }

    /** Which is what Spring tells those to do who have something to write then. */
    @Test
    void requiresNew_afterTheCommitOfAGuardedTransaction_isCommitted() throws Exception {
        Counter counter = counter(Defaults.class);

        counter.transactional(() -> {
            counter.increment();
            afterCommit(() -> counter.anotherAnew(() -> {
                database.write(5);
                return "done";
            }));
            return "done";
        });
        awaitFree(LOCK);
        awaitFree("another");
        assertThat(database.read()).isEqualTo(5);
        counter.transactional(() -> counter.locked(() -> "done"));

        awaitFree(LOCK);
    }

    private static void afterCommit(Callable<?> work) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCommit() {
                try {
                    work.call();
                } catch (Exception failed) {
                    throw new CompletionException(failed);
                }
            }
        });
    }

    /** As JTA does when a transaction has taken too long, and is rolled back meanwhile. */
    @Test
    void transaction_thatIsEndedByAnotherThread_keepsNothing() throws Exception {
        Counter counter = counter(Defaults.class);
        TransactionSynchronizationManager.initSynchronization();
        TransactionSynchronizationManager.setActualTransactionActive(true);
        counter.locked(() -> "done");
        List<TransactionSynchronization> all = TransactionSynchronizationManager.getSynchronizations();

        get(fork(() -> {
            all.forEach(TransactionSynchronization::beforeCompletion);
            all.forEach(one -> one.afterCompletion(TransactionSynchronization.STATUS_ROLLED_BACK));
            return "done";
        }));
        TransactionSynchronizationManager.clear();

        awaitFree(LOCK);
        counter.transactional(() -> counter.locked(() -> "done"));
        awaitFree(LOCK);
    }

    @Test
    void policy_isThatOfTheMethod_orOfTheSettings() throws Exception {
        Counter counter = counter(FailsInTransactions.class);

        counter.transactional(() -> {
            assertThatExceptionOfType(IllegalTransactionStateException.class)
                    .isThrownBy(counter::never)
                    .withMessageContaining("Counter.never()");
            assertThatExceptionOfType(IllegalTransactionStateException.class)
                    .isThrownBy(() -> counter.locked(() -> "in"));
            assertThat(isHeld(LOCK)).isFalse();
            counter.allowed();
            awaitFree(LOCK);
            counter.kept();
            assertThat(isHeld(LOCK)).isTrue();
            return "done";
        });
        awaitFree(LOCK);

        counter.never();
    }

    @Test
    void lockWithinATransaction_isWarnedOfOnceForEachMethod() throws Exception {
        Counter counter = counter(TransactionsOutermost.class);

        counter.locked(() -> "no transaction");
        awaitFree(LOCK);
        assertThat(log.text()).isEmpty();
        counter.increment();
        counter.increment();
        counter.both(() -> "done");

        assertThat(log.text().lines()).hasSize(2).allMatch(line -> line.contains("snapshot isolation"));
        assertThat(log.text()).containsOnlyOnce("Counter.increment()").containsOnlyOnce("Counter.both(Callable)");
    }

    @Test
    void reads_beforeTheLockWithinATransaction_mayBeOld_asTheWarningSays() throws Exception {
        Counter here = counter(Defaults.class);
        Counter there = counter(Defaults.class);

        int seen = here.transactional(() -> {
            int before = database.read();
            get(fork(() -> {
                there.increment();
                return "done";
            }));
            return here.locked(() -> before);
        });

        assertThat(seen).isZero();
        assertThat(database.read()).isEqualTo(1);
    }
}
