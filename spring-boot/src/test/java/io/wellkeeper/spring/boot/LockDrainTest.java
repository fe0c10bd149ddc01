package io.wellkeeper.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockListener;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** The end of an application begins while its listeners have not been told of all that is held. */
class LockDrainTest {

    /** Is told before all others, and does not return from one event before it is let go. */
    @Order(Ordered.HIGHEST_PRECEDENCE)
    static final class SlowListener implements LockListener {

        volatile String slowAt = "";
        final CompletableFuture<Void> goOn = new CompletableFuture<>();
        final CompletableFuture<Void> toldOfLast = new CompletableFuture<>();

        @Override
        public void acquired(Acquisition what, Duration waited) {
            told("acquired " + what.lock());
            if (what.lock().equals("last")) {
                toldOfLast.complete(null);
            }
        }

        @Override
        public void released(Acquisition what, Duration held) {
            told("released " + what.lock());
        }

        private void told(String event) {
            if (event.equals(slowAt)) {
                goOn.orTimeout(60, TimeUnit.SECONDS).join();
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(WellkeeperAutoConfiguration.class)
    @Import(MemoryStore.class)
    static class Application {

        @Bean
        SlowListener listener() {
            return new SlowListener();
        }
    }

    @Test
    void stop_lockIsHeldAndNotToldOfYet_waitsForIt() {
        run((client, drain, listener) -> {
            listener.slowAt = "acquired first";
            client.lock("first").acquire().close();
            LockHandle last = client.lock("last").acquire();
            CompletableFuture<Void> drained = new CompletableFuture<>();

            drain.stop(() -> drained.complete(null));

            waitsFor(last, drained, listener);
        });
    }

    @Test
    void stop_lockIsAcquiredBeforeTheReleaseOfTheOnlyOtherIsToldOf_waitsForIt() {
        run((client, drain, listener) -> {
            listener.slowAt = "released first";
            LockHandle first = client.lock("first").acquire();
            CompletableFuture<Void> drained = new CompletableFuture<>();

            drain.stop(() -> drained.complete(null));
            first.close();
            LockHandle last = client.lock("last").acquire();

            waitsFor(last, drained, listener);
        });
    }

    private static void waitsFor(LockHandle last, CompletableFuture<Void> drained, SlowListener listener)
            throws Exception {
        listener.goOn.complete(null);
        listener.toldOfLast.get(60, TimeUnit.SECONDS);
        assertThat(drained).isNotDone();
        last.close();
        drained.get(60, TimeUnit.SECONDS);
    }

    private interface Story {

        void tell(LockClient client, LockDrain drain, SlowListener listener) throws Exception;
    }

    private static void run(Story story) {
        new ApplicationContextRunner()
                .withUserConfiguration(Application.class)
                .run(context -> story.tell(
                        context.getBean(LockClient.class),
                        context.getBean(LockDrain.class),
                        context.getBean(SlowListener.class)));
    }
}
