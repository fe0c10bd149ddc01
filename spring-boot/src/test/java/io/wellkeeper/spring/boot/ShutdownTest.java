package io.wellkeeper.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.LeaderElection;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockListener;
import io.wellkeeper.testkit.InMemoryServer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ConcurrentTaskScheduler;
import org.springframework.scheduling.concurrent.SimpleAsyncTaskScheduler;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** An application is closed while a job holds a lock: the job comes to its end with the lock, which is released once. */
class ShutdownTest {

    /** What runs the job. */
    enum By {
        SCHEDULER(Scheduler.class),
        WAITING_SCHEDULER(WaitingScheduler.class),
        SIMPLE_SCHEDULER(SimpleScheduler.class),
        CONCURRENT_SCHEDULER(ConcurrentScheduler.class),
        ANNOTATION(Annotation.class),
        ANNOTATION_WITHOUT_BEAN(AnnotationWithoutBean.class),
        EXECUTOR(TaskExecutor.class),
        WAITING_EXECUTOR(WaitingExecutor.class),
        SIMPLE_EXECUTOR(SimpleExecutor.class),
        EXECUTOR_SERVICE(PlainExecutorService.class),
        THREAD_OF_ITS_OWN(OwnThread.class);

        private final Class<?> configuration;

        By(Class<?> configuration) {
            this.configuration = configuration;
        }
    }

    /** Holds a lock when the application begins to close, and for a while afterwards. */
    static final class Job implements Runnable {

        private static final Duration WORK =
                Duration.ofMillis(500); // more than closing takes that does not wait for it

        private final LockClient client;
        final List<String> story = new CopyOnWriteArrayList<>();
        final CountDownLatch holding = new CountDownLatch(1);
        private final CountDownLatch closing = new CountDownLatch(1);
        final CountDownLatch ended = new CountDownLatch(1);

        Job(LockClient client) {
            this.client = client;
        }

        @EventListener(ContextClosedEvent.class)
        void close() {
            closing.countDown();
        }

        @Override
        public void run() {
            if (holding.getCount() == 0) {
                return; // of a schedule that comes round again
            }
            CountDownLatch lost = new CountDownLatch(1);
            try (LockHandle handle = client.lock("job").acquire()) {
                handle.onLost(lost::countDown);
                holding.countDown();
                closing.await();
                boolean interrupted = awaitUninterruptibly(lost);
                client.lock("another").acquire().close(); // the store can be reached
                handle.checkHeld();
                story.add("done");
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            } catch (InterruptedException | RuntimeException failed) {
                story.add(failed.toString());
            } finally {
                ended.countDown();
            }
        }

        private static boolean awaitUninterruptibly(CountDownLatch lost) {
            boolean interrupted = false;
            long end = System.nanoTime() + WORK.toNanos();
            while (true) {
                try {
                    lost.await(end - System.nanoTime(), TimeUnit.NANOSECONDS);
                    return interrupted;
                } catch (InterruptedException remembered) {
                    interrupted = true;
                }
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(MemoryStore.class)
    @ImportAutoConfiguration({WellkeeperAutoConfiguration.class, LifecycleAutoConfiguration.class})
    static class Application {

        @Bean
        Job job(LockClient client) {
            return new Job(client);
        }

        @Bean
        Ends ends() {
            return new Ends();
        }
    }

    /** How holds end. */
    static final class Ends implements LockListener {

        final List<String> all = new CopyOnWriteArrayList<>();

        @Override
        public void released(Acquisition what, Duration held) {
            all.add("released " + what.lock());
        }

        @Override
        public void lost(Acquisition what, Duration held, String reason) {
            all.add("lost " + what.lock());
        }
    }

    static class Scheduler {

        @Bean
        Object start(Job job, TaskScheduler scheduler) {
            return scheduler.schedule(job, Instant.now());
        }

        @Bean
        ThreadPoolTaskScheduler taskScheduler() {
            return new ThreadPoolTaskScheduler();
        }
    }

    /** Made before the client, and so destroyed after it if nothing were done about that. */
    static class WaitingScheduler {

        @Bean
        ThreadPoolTaskScheduler taskScheduler() {
            ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
            scheduler.setWaitForTasksToCompleteOnShutdown(true);
            scheduler.setAwaitTerminationSeconds(20);
            return scheduler;
        }

        @Bean
        Object start(Job job, TaskScheduler scheduler) {
            return scheduler.schedule(job, Instant.now());
        }
    }

    static class SimpleScheduler {

        @Bean
        Object start(Job job, TaskScheduler scheduler) {
            return scheduler.schedule(job, Instant.now());
        }

        @Bean
        SimpleAsyncTaskScheduler taskScheduler() {
            return new SimpleAsyncTaskScheduler();
        }
    }

    static class ConcurrentScheduler {

        @Bean
        Object start(Job job, TaskScheduler scheduler) {
            return scheduler.schedule(job, Instant.now());
        }

        @Bean
        ConcurrentTaskScheduler taskScheduler(ScheduledExecutorService service) {
            return new ConcurrentTaskScheduler(service);
        }

        @Bean(destroyMethod = "shutdown")
        ScheduledExecutorService service() {
            return Executors.newScheduledThreadPool(2);
        }
    }

    @EnableScheduling
    @ImportAutoConfiguration(TaskSchedulingAutoConfiguration.class)
    static class Annotation {

        @Bean
        Jobs jobs(Job job) {
            return new Jobs(job);
        }
    }

    @EnableScheduling
    static class AnnotationWithoutBean {

        @Bean
        Jobs jobs(Job job) {
            return new Jobs(job);
        }
    }

    record Jobs(Job job) {

        @Scheduled(fixedDelay = 1, timeUnit = TimeUnit.HOURS)
        void work() {
            job.run();
        }
    }

    @ImportAutoConfiguration(TaskExecutionAutoConfiguration.class)
    static class TaskExecutor {

        @Bean
        Object start(Job job, Executor applicationTaskExecutor) {
            applicationTaskExecutor.execute(job);
            return "started";
        }
    }

    /** Made before the client, and so destroyed after it if nothing were done about that. */
    static class WaitingExecutor {

        @Bean
        ThreadPoolTaskExecutor executor() {
            ThreadPoolTaskExecutor executor = new ThreadPoolTaskExecutor();
            executor.setWaitForTasksToCompleteOnShutdown(true);
            executor.setAwaitTerminationSeconds(20);
            return executor;
        }

        @Bean
        Object start(Job job, Executor executor) {
            executor.execute(job);
            return "started";
        }
    }

    static class SimpleExecutor {

        @Bean
        Object start(Job job, Executor executor) {
            executor.execute(job);
            return "started";
        }

        @Bean
        SimpleAsyncTaskExecutor executor() {
            return new SimpleAsyncTaskExecutor();
        }
    }

    static class PlainExecutorService {

        @Bean
        Object start(Job job, Executor executor) {
            executor.execute(job);
            return "started";
        }

        @Bean(destroyMethod = "shutdown")
        Executor executor() {
            return Executors.newSingleThreadExecutor();
        }
    }

    static class OwnThread {

        @Bean
        Object start(Job job) {
            Thread thread = new Thread(job, "job");
            thread.setDaemon(true);
            thread.start();
            return "started";
        }
    }

    private static ConfigurableApplicationContext start(Class<?> configuration, String... properties) {
        return new SpringApplicationBuilder(configuration, Application.class)
                .web(WebApplicationType.NONE)
                .properties("spring.main.banner-mode=off")
                .properties(properties)
                .registerShutdownHook(false)
                .run();
    }

    private static void closesAfterTheJob(ConfigurableApplicationContext context) throws InterruptedException {
        Job job = context.getBean(Job.class);
        Ends ends = context.getBean(Ends.class);
        InMemoryServer server = context.getBean(InMemoryServer.class);
        job.holding.await();
        LockActivity activity = context.getBean(LockActivity.class);
        await().until(() -> activity.held() == 1); // the client tells its listener after its caller may go on
        context.close();
        job.ended.await();
        assertThat(job.story).containsExactly("done");
        await().untilAsserted(() -> assertThat(ends.all).containsExactlyInAnyOrder("released another", "released job"));
        assertThat(server.queueLength("job")).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void close_jobHoldsALock_letsItComeToItsEnd(By by) throws InterruptedException {
        closesAfterTheJob(start(by.configuration));
    }

    /** So that it is seen which of the two measures it is that helps here: the order of destruction. */
    @ParameterizedTest
    @EnumSource(names = {"WAITING_SCHEDULER", "WAITING_EXECUTOR"})
    void close_withoutDrain_schedulersThatWaitAreDestroyedBeforeTheClient(By by) throws InterruptedException {
        closesAfterTheJob(start(by.configuration, "wellkeeper.drain=false"));
    }

    @Test
    void close_lockNeverReleased_givesUpAfterTheTimeOfAPhase() throws InterruptedException {
        ConfigurableApplicationContext context =
                start(Object.class, "spring.lifecycle.timeout-per-shutdown-phase=100ms");
        InMemoryServer server = context.getBean(InMemoryServer.class);
        LockHandle handle = context.getBean(LockClient.class).lock("for ever").acquire();
        context.close();
        assertThat(handle.isHeld()).isFalse();
        assertThat(server.queueLength("for ever")).isZero();
    }

    @Test
    void close_leaderIsABean_resignsBeforeSchedulersStop() {
        ConfigurableApplicationContext context = start(Leader.class);
        Leader.Phase phase = context.getBean(Leader.Phase.class);
        await().until(() -> context.getBean(LeaderElection.class).isLeader());
        context.close();
        assertThat(phase.leads).containsExactly(false);
    }

    /** As Spring's tests do with an application while they need another one. */
    @Test
    void pause_leavesElectionsAsTheyAre_andWaitsForNoLock() throws InterruptedException {
        try (ConfigurableApplicationContext context =
                start(Leader.class, "spring.lifecycle.timeout-per-shutdown-phase=60s")) {
            LeaderElection election = context.getBean(LeaderElection.class);
            await().until(election::isLeader);
            LockHandle held = context.getBean(LockClient.class).lock("held").acquire();
            LockActivity activity = context.getBean(LockActivity.class);
            await().until(() -> activity.heldNames().contains("held"));

            CompletableFuture<Void> paused = CompletableFuture.runAsync(context::pause);

            assertThat(paused).succeedsWithin(Duration.ofSeconds(20));
            context.restart();
            assertThat(election.isLeader()).isTrue();
            held.close();
        }
    }

    static class Leader {

        @Bean
        LeaderElection election(LockClient client) {
            LeaderElection election = client.election("leader", new LeaderElection.Listener() {
                @Override
                public void elected(long fencingToken) {}

                @Override
                public void deposed(String reason) {}
            });
            election.campaign();
            return election;
        }

        @Bean
        Phase phase(LeaderElection election) {
            return new Phase(election, new CopyOnWriteArrayList<>());
        }

        /** Looks when schedulers stop. */
        record Phase(LeaderElection election, List<Boolean> leads) implements SmartLifecycle {

            @Override
            public void start() {}

            @Override
            public void stop() {
                leads.add(election.isLeader());
            }

            @Override
            public boolean isRunning() {
                return true;
            }

            @Override
            public int getPhase() {
                return Integer.MAX_VALUE / 2;
            }
        }
    }
}
