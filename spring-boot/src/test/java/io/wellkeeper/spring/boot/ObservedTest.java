package io.wellkeeper.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.annotation.Observed;
import io.wellkeeper.spring.CurrentLock;
import io.wellkeeper.spring.Locked;
import io.wellkeeper.testkit.InMemoryServer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Guarded methods that Micrometer observes by its annotation, which takes AspectJ's auto-proxying. */
class ObservedTest {

    private static final String LOCK = "wellkeeper.lock.acquisition";

    /** Guarded, and observed. */
    static class Works {

        @Locked("order/#{#id}")
        @Observed(name = "work")
        public long now(long id) {
            CurrentLock.assertHeld("order/" + id);
            return CurrentLock.fencingToken();
        }

        @Observed(name = "work")
        @Locked("order/1")
        public void fail() {
            throw new IllegalStateException("on purpose");
        }

        @Locked("order/1")
        @Observed(name = "work")
        public CompletableFuture<String> later(CompletableFuture<String> result) {
            return result;
        }
    }

    /** What was observed, and whether somebody was in the queue of the lock then. */
    static class Seen implements ObservationHandler<Observation.Context> {

        private final InMemoryServer server;
        private final List<String> all = new CopyOnWriteArrayList<>();

        Seen(InMemoryServer server) {
            this.server = server;
        }

        @Override
        public void onStart(Observation.Context context) {
            see(context, "begins");
        }

        @Override
        public void onStop(Observation.Context context) {
            see(context, context.getError() == null ? "ends" : "fails");
        }

        private void see(Observation.Context context, String what) {
            all.add(context.getName() + " " + what + " at " + server.queueLength("order/1"));
        }

        @Override
        public boolean supportsContext(Observation.Context context) {
            return true;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Application {

        @Bean
        Works works() {
            return new Works();
        }

        @Bean
        Seen seen(InMemoryServer server) {
            return new Seen(server);
        }
    }

    private static void run(Consumer<ApplicationContext> test) {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        AopAutoConfiguration.class,
                        ObservationAutoConfiguration.class,
                        LockMetricsAutoConfiguration.class,
                        WellkeeperAutoConfiguration.class,
                        LockedAutoConfiguration.class))
                .withUserConfiguration(MemoryStore.class, Application.class)
                .withPropertyValues("management.observations.annotations.enabled=true")
                .run(test::accept);
    }

    private static List<String> seen(ApplicationContext context) {
        return context.getBean(Seen.class).all;
    }

    private static void awaitFree(ApplicationContext context) {
        await().until(() -> context.getBean(InMemoryServer.class).queueLength("order/1") == 0);
    }

    @Test
    void observed_theMethod_isUnderTheLockAndWithoutTheWaitForIt() {
        run(context -> {
            assertThat(context.getBean(Works.class).now(1)).isPositive();

            assertThat(seen(context))
                    .containsExactly(LOCK + " begins at 0", LOCK + " ends at 1", "work begins at 1", "work ends at 1");
            awaitFree(context);
        });
    }

    @Test
    void observed_methodThatThrows_isUnderTheLock() {
        run(context -> {
            assertThatIllegalStateException()
                    .isThrownBy(context.getBean(Works.class)::fail)
                    .withMessage("on purpose");

            assertThat(seen(context)).endsWith("work begins at 1", "work fails at 1");
            awaitFree(context);
        });
    }

    @Test
    void observed_resultThatComesLater_isUnderTheLockUntilThen() {
        run(context -> {
            CompletableFuture<String> work = new CompletableFuture<>();
            CompletableFuture<String> result = context.getBean(Works.class).later(work);
            assertThat(seen(context)).endsWith("work begins at 1");

            work.complete("done");

            assertThat(result.join()).isEqualTo("done");
            assertThat(seen(context)).endsWith("work ends at 1");
            awaitFree(context);
        });
    }
}
