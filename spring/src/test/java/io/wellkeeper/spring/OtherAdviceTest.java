package io.wellkeeper.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

/** Guarded methods that other annotations of Spring's are on as well. */
class OtherAdviceTest extends ContextTest {

    private final Database database = new Database(server, "all");

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    @EnableCaching
    @EnableLocked
    @EnableResilientMethods
    @EnableScheduling
    @EnableTransactionManagement
    @Import(Works.class)
    static class Everything {

        @Bean
        AsyncTaskExecutor taskExecutor() {
            return new SimpleAsyncTaskExecutor("async-");
        }

        @Bean
        CacheManager cacheManager() {
            return new ConcurrentMapCacheManager();
        }
    }

    /** What is done. */
    static class Works {

        private final Database database;
        private final AtomicInteger loads = new AtomicInteger();
        private final AtomicInteger attempts = new AtomicInteger();
        private final List<String> threads = new CopyOnWriteArrayList<>();
        private final CountDownLatch twoRuns = new CountDownLatch(2);
        private final CompletableFuture<String> goOn = new CompletableFuture<>();

        Works(Database database) {
            this.database = database;
        }

        @Async
        @Locked("all")
        public void later(CountDownLatch inside) {
            CurrentLock.assertHeld();
            threads.add(Thread.currentThread().getName());
            inside.countDown();
            get(goOn);
        }

        @Async
        @Locked("all")
        public CompletableFuture<Long> laterWithResult() {
            return CompletableFuture.completedFuture(CurrentLock.fencingToken());
        }

        @Locked("all")
        @Retryable(maxRetries = 2, delay = 1, includes = IllegalArgumentException.class)
        public int retried() {
            CurrentLock.assertHeld();
            if (attempts.incrementAndGet() < 3) {
                throw new IllegalArgumentException("not yet");
            }
            return attempts.get();
        }

        @Locked(value = "all", waitFor = "1ms")
        @Retryable(maxRetries = 100_000, delay = 1, includes = LockNotAcquiredException.class)
        public String retriedUntilFree() {
            return "in";
        }

        @Locked("all")
        @Cacheable("values")
        public int cached(int key) {
            CurrentLock.assertHeld();
            return loads.incrementAndGet();
        }

        @Scheduled(fixedDelay = 1)
        @Locked(value = "scheduled", onBusy = Locked.OnBusy.SKIP)
        public void scheduled() {
            CurrentLock.assertHeld("scheduled");
            twoRuns.countDown();
        }

        @Async
        @Locked("all")
        @Retryable(maxRetries = 1, delay = 1)
        @Transactional
        public CompletableFuture<Integer> all() {
            CurrentLock.assertHeld();
            int value = database.read() + 1;
            database.write(value);
            if (attempts.incrementAndGet() == 1) {
                throw new IllegalArgumentException("rolled back");
            }
            return CompletableFuture.completedFuture(value);
        }
    }

    private AnnotationConfigApplicationContext context() {
        return start(
                context -> {
                    context.registerBean(Database.class, () -> database);
                    context.registerBean(DataSourceTransactionManager.class, database::transactions);
                },
                Everything.class);
    }

    private Works works() {
        return context().getBean(Works.class);
    }

    /** The bean's own fields, past its proxy. */
    private static Works target(Works proxy) {
        return (Works) java.util.Objects.requireNonNull(
                org.springframework.aop.framework.AopProxyUtils.getSingletonTarget(proxy));
    }

    @Test
    void async_holdsTheLockWhileTheWorkRuns_onItsThread() throws Exception {
        Works works = works();
        CountDownLatch inside = new CountDownLatch(1);

        works.later(inside);

        inside.await();
        assertThat(isHeld("all")).isTrue();
        assertThat(target(works).threads).singleElement().asString().startsWith("async-");
        target(works).goOn.complete("go on");
        awaitFree("all");
        assertThat(get(works.laterWithResult())).isPositive();
        awaitFree("all");
    }

    @Test
    void retryable_acquiresForEachAttempt() {
        Works works = works();

        assertThat(works.retried()).isEqualTo(3);

        awaitFree("all");
    }

    @Test
    void retryable_mayTryAgainForTheLock() {
        Works works = works();
        LockHandle taken = acquire(elsewhere(), "all");
        CompletableFuture<String> call = fork(works::retriedUntilFree);
        int before = server.requests();
        await().atMost(PATIENCE).until(() -> server.requests() > before + 3);

        taken.close();

        assertThat(get(call)).isEqualTo("in");
    }

    @Test
    void cacheable_isLookedUpUnderTheLock_soThatOneLoads() {
        Works works = works();
        LockHandle taken = acquire(elsewhere(), "all");
        List<CompletableFuture<Integer>> calls =
                List.of(fork(() -> works.cached(1)), fork(() -> works.cached(1)), fork(() -> works.cached(1)));
        awaitQueue("all", 2);

        taken.close();

        assertThat(calls.stream().map(ContextTest::get)).containsExactly(1, 1, 1);
    }

    @Test
    void scheduled_runsUnderTheLock_andSkipsWhileSomebodyElseHasIt() throws Exception {
        AnnotationConfigApplicationContext context = context();
        Works works = target(context.getBean(Works.class));

        assertThat(works.twoRuns.await(PATIENCE.toSeconds(), java.util.concurrent.TimeUnit.SECONDS))
                .isTrue();
    }

    @Test
    void asyncRetryableTransactional_commitsUnderTheLock_andRollsBackBeforeTheNextAttempt() {
        Works works = works();

        int value = get(works.all());

        assertThat(value).isEqualTo(1);
        assertThat(database.read()).isEqualTo(1);
        assertThat(database.ends()).containsExactly("rollback, held", "commit, held");
        awaitFree("all");
    }

    @Test
    void asyncRetryableTransactional_afterALoss_isRolledBack() {
        AnnotationConfigApplicationContext context = context();
        Works works = context.getBean(Works.class);
        LockClient client = context.getBean(LockClient.class);
        client.close();

        assertThatExceptionOfType(java.util.concurrent.CompletionException.class)
                .isThrownBy(() -> get(works.all()))
                .withCauseInstanceOf(io.wellkeeper.LockClientClosedException.class);
        assertThat(database.ends()).isEmpty();
    }
}
