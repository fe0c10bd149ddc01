package io.wellkeeper.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.storekit.NoLeftovers;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.MapPropertySource;

/** Application contexts over a store in memory, each with a client of its own, as each process has. */
abstract class ContextTest {

    static final Duration PATIENCE = Duration.ofSeconds(60);

    final InMemoryServer server = new InMemoryServer();

    @RegisterExtension
    final NoLeftovers noLeftovers = NoLeftovers.of(server);

    /** What contexts and their methods write to the log. */
    final Log log = new Log();

    /** The connection of the context that was started last. */
    InMemoryTicketStore store = new InMemoryTicketStore(server);

    final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void close() throws Exception {
        threads.shutdown();
        assertThat(threads.awaitTermination(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
        while (!opened.isEmpty()) {
            opened.pop().close();
        }
        log.close();
    }

    AnnotationConfigApplicationContext start(Class<?>... classes) {
        return start(context -> {}, classes);
    }

    AnnotationConfigApplicationContext start(Map<String, Object> properties, Class<?>... classes) {
        return start(
                context -> context.getEnvironment()
                        .getPropertySources()
                        .addFirst(new MapPropertySource("test", properties)),
                classes);
    }

    /** Starts a context with a client, and whatever else the test adds. */
    AnnotationConfigApplicationContext start(Consumer<GenericApplicationContext> more, Class<?>... classes) {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        opened.push(context);
        InMemoryTicketStore own = new InMemoryTicketStore(server);
        store = own;
        context.registerBean(LockClient.class, () -> LockClient.over(own));
        more.accept(context);
        context.register(classes);
        context.refresh();
        return context;
    }

    /** A client in another process. */
    LockClient elsewhere() {
        LockClient client = LockClient.over(new InMemoryTicketStore(server));
        opened.push(client);
        return client;
    }

    /** Whether anybody has a lock, or waits for it. */
    boolean isHeld(String name) {
        return server.queueLength(name) > 0;
    }

    /** The request that releases a lock is on its way when a call returns. */
    void awaitFree(String name) {
        await().atMost(PATIENCE).until(() -> !isHeld(name));
    }

    void awaitQueue(String name, int length) {
        await().atMost(PATIENCE).until(() -> server.queueLength(name) == length);
    }

    /** Ends the session of the context that was started last, and waits until it knows. */
    void loseSession(LockClient client) {
        CompletableFuture<Boolean> lost = new CompletableFuture<>();
        LockHandle probe = client.lock("probe").tryAcquire().orElseThrow();
        probe.onLost(() -> lost.complete(true));
        store.expireSessions();
        get(lost);
    }

    /** Runs something on a thread of its own. */
    <T> CompletableFuture<T> fork(Callable<T> work) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return work.call();
                    } catch (RuntimeException | Error thrown) {
                        throw thrown;
                    } catch (Exception thrown) {
                        throw new CompletionException(thrown);
                    }
                },
                threads);
    }

    static <T> T get(CompletableFuture<T> future) {
        return future.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
    }

    static LockHandle acquire(LockClient client, String name) {
        Optional<LockHandle> handle = client.lock(name).tryAcquire();
        assertThat(handle).as(name).isPresent();
        return handle.orElseThrow();
    }
}
