package io.wellkeeper.shedlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.LockClient;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import net.javacrumbs.shedlock.core.LockAssert;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** ShedLock's own scheduler, in two applications. */
class SchedulerTest {

    private static final Duration PATIENCE = Duration.ofMinutes(1); // other tests are on the machine, too

    private final InMemoryServer server = new InMemoryServer();
    private final Shared shared = new Shared();

    @AfterEach
    void close() {
        server.close();
    }

    /** What both applications work on. */
    private static final class Shared {

        private final AtomicInteger inside = new AtomicInteger();
        private final AtomicInteger most = new AtomicInteger();

        void work() {
            most.accumulateAndGet(inside.incrementAndGet(), Math::max);
            Thread.yield();
            inside.decrementAndGet();
        }
    }

    @Configuration
    @EnableScheduling
    @EnableSchedulerLock(defaultLockAtMostFor = "PT10M")
    static class Application {

        @Bean
        LockClient client(InMemoryServer server) {
            return LockClient.over(new InMemoryTicketStore(server));
        }

        @Bean
        LockProvider lockProvider(LockClient client) {
            return new WellkeeperLockProvider(client, "shedlock/");
        }

        @Bean
        Jobs jobs(Shared shared) {
            return new Jobs(shared);
        }
    }

    static class Jobs {

        private final Shared shared;
        private final AtomicInteger runs = new AtomicInteger();

        Jobs(Shared shared) {
            this.shared = shared;
        }

        @Scheduled(fixedDelay = 5)
        @SchedulerLock(name = "report")
        public void report() {
            LockAssert.assertLocked();
            shared.work();
            runs.incrementAndGet();
        }

        public int runs() {
            return runs.get();
        }
    }

    private AnnotationConfigApplicationContext application() {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.registerBean(InMemoryServer.class, () -> server, bean -> bean.setDestroyMethodName(""));
        context.registerBean(Shared.class, () -> shared);
        context.register(Application.class);
        context.refresh();
        return context;
    }

    @Test
    void jobs_ofTwoApplications_neverRunTogetherAndGoOnWhenOneEnds() {
        AnnotationConfigApplicationContext one = application();
        try (AnnotationConfigApplicationContext two = application()) {
            Jobs first = one.getBean(Jobs.class);
            Jobs second = two.getBean(Jobs.class);
            await().atMost(PATIENCE).until(() -> first.runs() > 20 && second.runs() > 20);

            one.close();
            int before = second.runs();
            await().atMost(PATIENCE).until(() -> second.runs() > before + 20);
        }
        assertThat(shared.most).hasValue(1);
    }
}
