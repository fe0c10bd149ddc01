package io.wellkeeper.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.util.concurrent.FastThreadLocalThread;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** Requests go out in the order in which they were made, whichever thread makes them. */
class OutboxTest {

    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final Outbox outbox = new Outbox(tasks::add);
    private final List<String> written = new CopyOnWriteArrayList<>();

    private void send(Outbox by, String what) {
        by.send(() -> written.add(what));
    }

    private void sendAsNetty(Outbox by, String what) throws Exception {
        Thread netty = new FastThreadLocalThread(() -> send(by, what));
        netty.start();
        netty.join();
    }

    @Test
    void send_byAnyThread_isWrittenAtOnce() {
        send(outbox, "1");

        assertThat(written).containsExactly("1");
    }

    @Test
    void send_behindWhatNettySends_waitsForIt() throws Exception {
        sendAsNetty(outbox, "1");
        send(outbox, "2");
        sendAsNetty(outbox, "3");
        assertThat(written).isEmpty();

        assertThat(tasks).hasSize(1);
        tasks.remove().run();
        send(outbox, "4");

        assertThat(written).containsExactly("1", "2", "3", "4");
    }

    @Test
    void send_behindOneThatFails_isWrittenAllTheSame() throws Exception {
        Thread netty = new FastThreadLocalThread(() -> outbox.send(() -> {
            throw new IllegalStateException("refused");
        }));
        netty.start();
        netty.join();
        send(outbox, "1");

        tasks.remove().run();
        send(outbox, "2");

        assertThat(written).containsExactly("1", "2");
    }

    @Test
    void send_executorIsClosed_isWrittenAllTheSame() throws Exception {
        Outbox closed = new Outbox(task -> {
            throw new RejectedExecutionException("closed");
        });
        sendAsNetty(closed, "1");

        await().until(() -> written.contains("1"));
    }
}
