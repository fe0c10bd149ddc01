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
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** A process of its own is told to end (SIGTERM) while a guarded method is at work. */
public class SigtermTest {

    private static final List<String> NAMES = List.of("nightly", "mail");

    @TempDir
    Path folder;

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    @EnableScheduling
    @ImportAutoConfiguration({
        WellkeeperAutoConfiguration.class,
        LockedAutoConfiguration.class,
        LifecycleAutoConfiguration.class,
        SslAutoConfiguration.class,
        TaskExecutionAutoConfiguration.class,
        TaskSchedulingAutoConfiguration.class
    })
    public static class Application {

        public static void main(String[] arguments) throws InterruptedException {
            SpringApplication.run(Application.class, arguments)
                    .getBean(Job.class)
                    .answer();
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
            workOn("nightly");
        }

        @Async
        @Locked("mail")
        public void answer() throws InterruptedException {
            workOn("mail");
        }

        private void workOn(String name) throws InterruptedException {
            Held lock = CurrentLock.find().orElseThrow();
            CountDownLatch lost = new CountDownLatch(1);
            lock.onLost(lost::countDown);
            say("working on " + name + " on " + (isVirtual() ? "a virtual thread" : "a thread"));
            closing.await();
            boolean gone = lost.await(1, TimeUnit.SECONDS);
            lock.checkHeld();
            say(name + (gone ? " is lost" : " is done"));
        }

        private static boolean isVirtual() {
            return Thread.currentThread().toString().startsWith("VirtualThread");
        }
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }

    @Test
    void sigterm_guardedMethodsAtWork_areLetFinishAndTheirLocksAreReleasedOnce() {
        sigterm(false, "a thread");
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void sigterm_guardedMethodsAtWorkOnVirtualThreads_areLetFinishAndTheirLocksAreReleasedOnce() {
        sigterm(true, "a virtual thread");
    }

    private void sigterm(boolean virtual, String thread) {
        String store = "jdbc:sqlite:" + folder.resolve("locks.db");
        try (JavaProcess process = JavaProcess.of(Application.class.getName())
                        .arguments(
                                "--wellkeeper.uri=" + store,
                                "--spring.threads.virtual.enabled=" + virtual,
                                "--spring.main.keep-alive=true", // virtual threads do not
                                "--spring.main.banner-mode=off",
                                "--spring.docker.compose.enabled=false",
                                "--spring.main.web-application-type=none")
                        .start();
                LockClient other = LockClient.connect(store)) {
            for (String name : NAMES) {
                process.awaitLine(("working on " + name + " on " + thread)::equals, Duration.ofSeconds(60));
                assertThat(other.admin().inspect(name).holders()).hasSize(1);
            }
            ProcessHandle.of(process.pid()).orElseThrow().destroy();
            assertThat(process.awaitExit(Duration.ofSeconds(30))).isEqualTo(143);
            for (String name : NAMES) {
                assertThat(process.output()).containsSubsequence("closing", name + " is done", "released " + name);
                assertThat(process.output()).doesNotContain("lost " + name).containsOnlyOnce("released " + name);
                other.lock(name).tryAcquire().orElseThrow().close();
            }
        }
    }
}
