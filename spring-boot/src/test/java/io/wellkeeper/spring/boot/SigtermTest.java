package io.wellkeeper.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.Held;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockListener;
import io.wellkeeper.spring.CurrentLock;
import io.wellkeeper.spring.Locked;
import io.wellkeeper.storekit.JavaProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** A process of its own is told to end (SIGTERM) while a guarded method is at work. */
public class SigtermTest {

    @TempDir
    Path folder;

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    @ImportAutoConfiguration({
        WellkeeperAutoConfiguration.class,
        LockedAutoConfiguration.class,
        LifecycleAutoConfiguration.class,
        SslAutoConfiguration.class,
        TaskSchedulingAutoConfiguration.class
    })
    public static class Application {

        public static void main(String[] arguments) {
            SpringApplication.run(Application.class, arguments);
        }

        @Bean
        Job job() {
            return new Job();
        }

        @Bean
        LockListener story() {
            return new LockListener() {
                @Override
                public void released(Acquisition what, Duration held) {
                    say("released " + what.lock());
                }

                @Override
                public void lost(Acquisition what, Duration held, String reason) {
                    say("lost " + what.lock());
                }
            };
        }
    }

    public static class Job {

        private final CountDownLatch closing = new CountDownLatch(1);

        @EventListener(ContextClosedEvent.class)
        public void close() {
            say("closing");
            closing.countDown();
        }

        @Scheduled(fixedDelay = 1, timeUnit = TimeUnit.HOURS)
        @Locked("nightly")
        public void work() throws InterruptedException {
            Held lock = CurrentLock.find().orElseThrow();
            say("working");
            CountDownLatch lost = new CountDownLatch(1);
            lock.onLost(lost::countDown);
            closing.await();
            boolean gone = lost.await(1, TimeUnit.SECONDS);
            lock.checkHeld();
            say(gone ? "lost at work" : "work is done");
        }
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }

    @Test
    void sigterm_guardedMethodAtWork_isLetFinishAndItsLockIsReleasedOnce() {
        String store = "jdbc:sqlite:" + folder.resolve("locks.db");
        try (JavaProcess process = JavaProcess.of(Application.class.getName())
                        .arguments(
                                "--wellkeeper.uri=" + store,
                                "--spring.main.banner-mode=off",
                                "--spring.docker.compose.enabled=false",
                                "--spring.main.web-application-type=none")
                        .start();
                LockClient other = LockClient.connect(store)) {
            process.awaitLine("working"::equals, Duration.ofSeconds(60));
            assertThat(other.admin().inspect("nightly").holders()).hasSize(1);
            ProcessHandle.of(process.pid()).orElseThrow().destroy();
            assertThat(process.awaitExit(Duration.ofSeconds(30))).isEqualTo(143);
            assertThat(process.output()).containsSubsequence("working", "closing", "work is done", "released nightly");
            assertThat(process.output()).doesNotContain("lost nightly").containsOnlyOnce("released nightly");
            other.lock("nightly").tryAcquire().orElseThrow().close();
        }
    }
}
