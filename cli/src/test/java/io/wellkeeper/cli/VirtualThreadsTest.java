package io.wellkeeper.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.testservers.ZooKeeperProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;

/** Virtual threads wait for a lock without keeping their carrier threads. */
@EnabledForJreRange(min = JRE.JAVA_21)
class VirtualThreadsTest {

    private static final int THREADS = 10_000;
    private static final String PINNED = "jdk.VirtualThreadPinned";

    private int guarded; // by the lock alone

    @Test
    void lock_tenThousandVirtualThreads_pinNoCarrier(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("pinned.jfr");
        try (ZooKeeperProcess server = ZooKeeperProcess.start();
                LockClient client = LockClient.connect("zookeeper://" + server.address());
                Recording recording = new Recording()) {
            DistributedLock lock = client.lock("virtual");
            recording.enable(PINNED).withThreshold(Duration.ZERO);
            recording.start();
            ExecutorService threads = virtualThreads();
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                all.add(threads.submit(() -> {
                    lock.lock();
                    try {
                        guarded++;
                    } finally {
                        lock.unlock();
                    }
                }));
            }
            for (Future<?> one : all) {
                one.get(2, TimeUnit.MINUTES);
            }
            threads.shutdown();
            recording.stop();
            recording.dump(file);
        }

        assertThat(guarded).isEqualTo(THREADS);
        assertThat(Files.size(file)).isPositive();
        assertThat(RecordingFile.readAllEvents(file).stream()
                        .filter(event -> event.getEventType().getName().equals(PINNED) && !isOfClassLoading(event))
                        .map(RecordedEvent::toString))
                .isEmpty();
    }

    /** The first to use a class loads it, and whoever comes just then is pinned by the JVM: no lock of ours can help it. */
    private static boolean isOfClassLoading(RecordedEvent event) {
        return event.getStackTrace().getFrames().stream()
                .anyMatch(frame -> frame.getMethod().getType().getName().equals("java.lang.ClassLoader"));
    }

    /** The classes are compiled for a Java that has no virtual threads. */
    private static ExecutorService virtualThreads() throws ReflectiveOperationException {
        return (ExecutorService)
                Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    }
}
