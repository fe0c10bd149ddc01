package io.wellkeeper.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockLostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.reactive.AbstractReactiveTransactionManager;
import org.springframework.transaction.reactive.GenericReactiveTransaction;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.transaction.reactive.TransactionalOperator;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Methods whose work goes on after they have returned. */
class LateResultTest extends ContextTest {

    private static final String LOCK = "late";

    @Configuration(proxyBeanMethods = false)
    @EnableLocked
    @Import(Works.class)
    static class Guarded {}

    /** Methods that return what they are given. */
    static class Works {

        @Locked(LOCK)
        public <T> CompletableFuture<T> future(CompletableFuture<T> work) {
            return work;
        }

        @Locked(LOCK)
        public <T> CompletionStage<T> stage(CompletionStage<T> work) {
            return work;
        }

        @Locked(LOCK)
        public Object anything(Object work) {
            return work;
        }

        @Locked(LOCK)
        public <T> Mono<T> mono(Mono<T> work) {
            return work;
        }

        @Locked(LOCK)
        public <T> Flux<T> flux(Flux<T> work) {
            return work;
        }

        @Locked(LOCK)
        public Mono<Long> token(LockHandle handle, @FencingToken long token) {
            return Mono.fromSupplier(handle::fencingToken).filter(same -> same == token);
        }

        @Locked(value = LOCK, waitFor = "10ms")
        public Mono<String> brief() {
            return Mono.just("in");
        }

        @Locked(value = LOCK, mode = Locked.Mode.PERMITS, permits = "1", waitFor = "60s")
        public Mono<String> permitted() {
            return Mono.just("in");
        }

        @Locked({LOCK, "more"})
        public Mono<String> several() {
            return Mono.just("in");
        }

        @Locked(value = LOCK, inTransaction = InTransaction.FAIL)
        public Mono<String> never() {
            return Mono.just("in");
        }
    }

    private final Works works = start(Guarded.class).getBean(Works.class);

    @Test
    void future_keepsTheLockUntilItIsComplete() {
        CompletableFuture<String> work = new CompletableFuture<>();

        CompletableFuture<String> result = works.future(work);

        assertThat(result).isNotDone();
        assertThat(isHeld(LOCK)).isTrue();
        work.complete("done");
        assertThat(get(result)).isEqualTo("done");
        awaitFree(LOCK);
    }

    @Test
    void future_ofWhichTheThreadCallsTheMethodAgain_isWaitedFor() {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> returned = new CompletableFuture<>();
        CompletableFuture<Boolean> second = fork(() -> {
            works.future(work);
            returned.complete("has returned");
            return get(works.future(CompletableFuture.completedFuture(work.isDone())));
        });
        get(returned);
        assertThat(second).isNotDone();

        work.complete("first");

        get(second);
    }

    @Test
    void stage_thatFails_releases_andFailsTheSame() {
        CompletableFuture<String> work = new CompletableFuture<>();
        Exception own = new Exception("own");
        CompletionStage<String> result = works.stage(work);

        work.completeExceptionally(own);

        assertThatThrownBy(() -> get(result.toCompletableFuture()))
                .isInstanceOf(CompletionException.class)
                .hasCause(own);
        awaitFree(LOCK);
    }

    @Test
    void future_thatIsCancelled_cancelsTheWork() {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> result = works.future(work);

        result.cancel(true);

        assertThat(work).isCancelled();
        awaitFree(LOCK);
    }

    @Test
    void future_thatIsCancelled_whatFollowsFindsTheLockReleased() {
        CompletableFuture<String> result = works.future(new CompletableFuture<>());
        CompletableFuture<Void> followed = result.handle((value, cancelled) -> {
            awaitFree(LOCK);
            return null;
        });

        result.cancel(true);

        get(followed);
    }

    @Test
    void future_duringWhichTheLockIsLost_fails() {
        AnnotationConfigApplicationContext context = start(Guarded.class);
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> result = context.getBean(Works.class).future(work);

        loseSession(context.getBean(LockClient.class));
        work.complete("late");

        assertThatThrownBy(() -> get(result)).hasCauseInstanceOf(LockLostException.class);
    }

    @Test
    void object_thatIsAStage_keepsTheLock_andThatIsAnythingElseLate_isRefused() {
        CompletableFuture<String> work = new CompletableFuture<>();

        Object result = works.anything(work);

        assertThat(isHeld(LOCK)).isTrue();
        work.complete("done");
        assertThat(((CompletableFuture<?>) result).join()).isEqualTo("done");
        awaitFree(LOCK);
        for (Object late : List.of(new FutureTask<>(() -> 1), Mono.just(1), List.of(1).stream())) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> works.anything(late))
                    .withMessageContaining("does not declare");
            awaitFree(LOCK);
        }
        assertThat(works.anything("plain")).isEqualTo("plain");
    }

    @Test
    void mono_acquiresAtEachSubscription_andReleasesAtItsEnd() {
        Mono<Boolean> result = works.mono(Mono.fromSupplier(() -> isHeld(LOCK)));
        assertThat(isHeld(LOCK)).isFalse();

        assertThat(result.block(PATIENCE)).isTrue();
        awaitFree(LOCK);
        assertThat(result.block(PATIENCE)).isTrue();
        awaitFree(LOCK);
    }

    @Test
    void mono_thatFails_releases_andFailsTheSame() {
        RuntimeException own = new RuntimeException("own");

        assertThatThrownBy(() -> works.mono(Mono.error(own)).block(PATIENCE)).isSameAs(own);

        awaitFree(LOCK);
    }

    @Test
    void mono_thatIsCancelledWhileItWaits_leavesTheQueue() {
        LockHandle taken = acquire(elsewhere(), LOCK);
        Disposable subscription = works.mono(Mono.just("in")).subscribe();
        awaitQueue(LOCK, 2);

        subscription.dispose();

        awaitQueue(LOCK, 1);
        taken.close();
    }

    @Test
    void mono_thatIsCancelledWhileItsWorkBegins_holdsTheLockUntilItHasBegun() throws Exception {
        CompletableFuture<String> begins = new CompletableFuture<>();
        CompletableFuture<String> goOn = new CompletableFuture<>();
        Disposable subscription = works.mono(Mono.defer(() -> {
                    begins.complete("in");
                    get(goOn);
                    return Mono.never();
                }))
                .subscribe();
        get(begins);

        subscription.dispose();

        assertThat(elsewhere().lock(LOCK).tryAcquire(Duration.ofMillis(200))).isEmpty();
        goOn.complete("begun");
        awaitFree(LOCK);
    }

    @Test
    void mono_thatIsCancelledWhenItMayJustHaveAcquired_leavesNothing() {
        for (int i = 0; i < 200; i++) {
            Disposable subscription = works.mono(Mono.never()).subscribe();
            if (i % 2 == 0) {
                Thread.yield();
            }
            subscription.dispose();
        }

        awaitFree(LOCK);
    }

    @Test
    void mono_thatDoesNotGetTheLockInTime_fails() {
        LockHandle taken = acquire(elsewhere(), LOCK);

        assertThatExceptionOfType(LockNotAcquiredException.class)
                .isThrownBy(() -> works.brief().block(PATIENCE));
        taken.close();
        awaitFree(LOCK);
        assertThat(works.brief().block(PATIENCE)).isEqualTo("in");
    }

    @Test
    void mono_duringWhichTheLockIsLost_fails() {
        AnnotationConfigApplicationContext context = start(Guarded.class);
        LockClient client = context.getBean(LockClient.class);
        Mono<String> result = context.getBean(Works.class).mono(Mono.fromSupplier(() -> {
            loseSession(client);
            return "late";
        }));

        assertThatThrownBy(() -> get(result.toFuture())).hasCauseInstanceOf(LockLostException.class);
    }

    @Test
    void mono_ofPermitsAndOfSeveralNames_acquiresThem() {
        assertThat(works.permitted().block(PATIENCE)).isEqualTo("in");
        awaitFree(LOCK);
        assertThat(works.several().block(PATIENCE)).isEqualTo("in");
        awaitFree(LOCK);
        awaitFree("more");
    }

    @Test
    void mono_isGivenWhatItHolds() {
        assertThat(works.token(null, 0).block(PATIENCE)).isPositive();
    }

    @Test
    void flux_holdsTheLockUntilItIsComplete_orCancelled() {
        Sinks.Many<String> work = Sinks.many().unicast().onBackpressureBuffer();
        CompletableFuture<List<String>> all =
                works.flux(work.asFlux()).collectList().toFuture();
        work.tryEmitNext("one");
        awaitQueue(LOCK, 1);
        work.tryEmitNext("two");
        work.tryEmitComplete();

        assertThat(get(all)).containsExactly("one", "two");
        awaitFree(LOCK);
        assertThat(works.flux(Flux.range(1, 1_000)).take(3).collectList().block(PATIENCE))
                .containsExactly(1, 2, 3);
        awaitFree(LOCK);
    }

    /** Transactions that only take note of how they end. */
    private final class NotedTransactions extends AbstractReactiveTransactionManager {

        private static final long serialVersionUID = 1L;

        private final transient List<String> ends = new java.util.concurrent.CopyOnWriteArrayList<>();

        @Override
        protected Object doGetTransaction(TransactionSynchronizationManager current) {
            return new Object();
        }

        @Override
        protected Mono<Void> doBegin(
                TransactionSynchronizationManager current, Object transaction, TransactionDefinition definition) {
            return Mono.empty();
        }

        @Override
        protected Mono<Void> doCommit(TransactionSynchronizationManager current, GenericReactiveTransaction status) {
            return Mono.fromRunnable(() -> ends.add("commit, " + (isHeld(LOCK) ? "held" : "free")));
        }

        @Override
        protected Mono<Void> doRollback(TransactionSynchronizationManager current, GenericReactiveTransaction status) {
            return Mono.fromRunnable(() -> ends.add("rollback"));
        }
    }

    @Test
    void reactiveTransaction_aroundTheLock_keepsItUntilItHasEnded() {
        NotedTransactions transactions = new NotedTransactions();
        TransactionalOperator transactional = TransactionalOperator.create(transactions);

        String value =
                works.mono(Mono.just("done")).as(transactional::transactional).block(PATIENCE);

        assertThat(value).isEqualTo("done");
        assertThat(transactions.ends).containsExactly("commit, held");
        awaitFree(LOCK);
        assertThat(log.text()).containsOnlyOnce("Works.mono(Mono)");
    }

    @Test
    void reactiveTransaction_duringWhichTheLockIsLost_isRolledBack() {
        AnnotationConfigApplicationContext context = start(Guarded.class);
        LockClient client = context.getBean(LockClient.class);
        NotedTransactions transactions = new NotedTransactions();
        TransactionalOperator transactional = TransactionalOperator.create(transactions);

        Mono<String> work = context.getBean(Works.class)
                .mono(Mono.just("done"))
                .doOnNext(done -> loseSession(client))
                .as(transactional::transactional);

        assertThatThrownBy(() -> get(work.toFuture())).hasCauseInstanceOf(LockLostException.class);
        assertThat(transactions.ends).containsExactly("rollback");
    }

    @Test
    void reactiveTransaction_aroundAMethodThatForbidsIt_fails() {
        TransactionalOperator transactional = TransactionalOperator.create(new NotedTransactions());

        assertThatExceptionOfType(IllegalTransactionStateException.class)
                .isThrownBy(() -> works.never().as(transactional::transactional).block(PATIENCE));
        assertThat(works.never().block(PATIENCE)).isEqualTo("in");
    }
}
